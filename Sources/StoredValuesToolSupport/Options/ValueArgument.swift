package import ArgumentParser
package import StoredValues

/// A value as typed: JSON, or else a string.
package struct ValueArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("A JSON value, or a string.", valueName: "json-or-text")) package var value: String
    @Flag(help: "Force the type: store the value as a string, even if it is JSON.") package var text = false
    @Flag(help: "Force the type: refuse a value that is not JSON.") package var json = false

    package init() {}

    package func validate() throws {
        guard !(text && json) else { throw ValidationError("Give either --text or --json.") }
    }

    /// The value for `key`.
    package func json(of key: String) throws -> JSONValue {
        if text { return .string(value) }
        do throws(JSONSyntaxError) {
            if let value = try JSONValue(typed: value) { return value }
        } catch {
            throw Failure(.badData, "The value for \"\(key)\" has \(error), and would not be read as it is. Correct it, or store it as a string with --text.")
        }
        guard !json else {
            throw Failure(.badData, "The value for \"\(key)\" is not JSON; without --json it would be stored as a string.")
        }
        return .string(value)
    }

    /// Notes on standard error if the value of `key` is of another kind than the one that it replaces.
    package static func note(_ key: String, replacing old: JSONValue?, with new: JSONValue) {
        guard let old, old != .null, new != .null, old.kindForPeople != new.kindForPeople else { return }
        let hint = old.stringValue == nil ? "" : " Use --text to keep it a string."
        Output.error.note("\"\(key)\" was \(old.kindForPeople) and is now \(new.kindForPeople).\(hint)")
    }
}

extension JSONValue {
    /// Its kind, in words.
    fileprivate var kindForPeople: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
