/// The content of a preferences file and the system-wide defaults below it at one moment, without types: for code that knows
/// only keys, such as the command line tool.
package struct PreferencesSnapshot: Sendable {
    private let document: PreferencesDocument
    /// By precedence.
    private let layers: [PreferencesDocument]

    init(_ document: PreferencesDocument, layers: [PreferencesDocument]) { (self.document, self.layers) = (document, layers) }

    /// The keys of all values, those of the system-wide defaults included, sorted.
    package var keys: [String] { ([document] + layers).flatMap(\.keys).distinctKeys.filter { !$0.isReservedKey } }

    /// The value of `key` that programs read; nil also if it cannot be read, see ``value(of:)``.
    package subscript(key: String) -> JSONValue? { try? value(of: key) }

    /// The value of `key` that programs read: the file's, else that of the first layer that has one. Throws if it contains half
    /// of a surrogate pair, which is not valid Unicode.
    package func value(of key: String) throws -> JSONValue? {
        guard let text = ([document] + layers).lazy.compactMap({ $0[key] }).first else { return nil }
        return try JSONValue(parsing: text)
    }

    /// Whether the file itself holds `key`, not only a layer below it.
    package func isStored(_ key: String) -> Bool { document[key] != nil }
}
