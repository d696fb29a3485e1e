/// The content of a preferences file and the layers below it at one moment, without types: for code that knows only keys, such as
/// the command line tool.
package struct PreferencesSnapshot: Sendable {
    private let document: PreferencesDocument
    /// By precedence.
    private let layers: [(document: PreferencesDocument, source: ValueSource)]

    init(_ document: PreferencesDocument, layers: [(PreferencesDocument, ValueSource)]) {
        (self.document, self.layers) = (document, layers)
    }

    private var all: [(document: PreferencesDocument, source: ValueSource)] { [(document, .file)] + layers }

    /// The keys of all values, those of the layers included, sorted.
    package var keys: [String] { all.flatMap(\.document.keys).distinctKeys.filter { !$0.isReservedKey } }

    /// The keys of the file itself that a layer of this source has too, sorted.
    package func keys(hiding source: ValueSource) -> [String] {
        let hidden = layers.filter { $0.source == source }
        return document.keys.filter { key in !key.isReservedKey && hidden.contains { $0.document[key] != nil } }
    }

    /// The value of `key` that programs read; nil also if it cannot be read, see ``value(of:)``.
    package subscript(key: String) -> JSONValue? { try? value(of: key) }

    /// The value of `key` that programs read: the file's, else that of the first layer that has one. Throws if it contains half
    /// of a surrogate pair, which is not valid Unicode.
    package func value(of key: String) throws -> JSONValue? {
        guard let text = all.lazy.compactMap({ $0.document[key] }).first else { return nil }
        return try JSONValue(parsing: text)
    }

    /// Where the value of `key` comes from; nil if there is none.
    package func source(of key: String) -> ValueSource? { all.first { $0.document[key] != nil }?.source }
}
