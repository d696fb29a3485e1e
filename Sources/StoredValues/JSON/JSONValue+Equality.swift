import StoredValuesSupport

extension JSONValue {
    /// Whether both say the same. Texts and names are compared by their bytes: those that only look alike (é as one character
    /// or as two) are another value to other programs.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isIdentical(to: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in
                    right.index(forKey: name).map { right[$0].key.isIdentical(to: name) && right[$0].value == value } ?? false
                }
        default: false
        }
    }
}
