import StoredValuesSupport

/// The name of a member, compared by its bytes, as in JSON.
///
/// Swift considers two strings equal if they look alike ("é" as one scalar or as two): as keys of a dictionary they would be
/// one value in memory and two members in the file.
package struct PreferencesKey: Hashable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package static func == (left: PreferencesKey, right: PreferencesKey) -> Bool {
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in right.withUTF8 { right in left.count == right.count && left.order(to: right) == 0 } }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension PreferencesKey {
    /// The name as written between its quotes.
    var escapedName: [UInt8] {
        var writer = JSONWriter()
        writer.append(quoted: text)
        return Array(writer.text.dropFirst().dropLast())
    }

    /// Passes `body` the same without creating it, if there is nothing to escape.
    @inline(__always)
    func withEscapedName<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = text
        let result = text.withUTF8 { text in text.contains(where: JSONWriter.mustEscape) ? nil : body(text) }
        return result ?? escapedName.withUnsafeBufferPointer(body)
    }
}

extension String {
    /// Whether members of this name are reserved for the library.
    package var isReservedKey: Bool { begins(with: "$") }
}

extension Sequence<String> {
    /// Each of these keys once, sorted as in a file.
    package var distinctKeys: [String] {
        Set(map { PreferencesKey($0) }).map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
