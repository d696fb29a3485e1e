import StoredValuesSupport

/// The name of a member, compared by its bytes, as JSON does.
///
/// Swift takes two strings for equal when they look alike ("é" in one character or in two): as keys of a dictionary they
/// would be one value in memory and two members in the file.
package struct PreferencesKey: Hashable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package static func == (left: PreferencesKey, right: PreferencesKey) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in right.withUTF8 { right in left.elementsEqual(right) } }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether the library keeps members of this name for itself.
    package var isReservedKey: Bool { begins(with: "$") }
}

extension Sequence<String> {
    /// Each of these keys once, sorted as a file sorts them.
    package var distinctKeys: [String] {
        Set(map { PreferencesKey($0) }).map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
