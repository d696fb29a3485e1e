@testable import StoredValues

/// What must hold for the reader and the writer of preferences, whatever the bytes.
///
/// The tests check it on what a seeded mutator makes, the fuzz target (`Fuzzing/`) on what the fuzzer finds.
struct ReaderRules: Sendable {
    /// A rule that does not hold.
    struct Broken: Error, CustomStringConvertible {
        let description: String
        init(_ rule: String) { description = rule }
    }

    /// The reader of whole files. Another one can be put here, to see that the rules notice what is wrong with it.
    var readDocument: @Sendable ([UInt8]) throws -> PreferencesDocument = { try PreferencesDocument(parsing: $0) }

    /// Of how many members items are made; each takes a while.
    var itemCount = 8

    /// Throws if a rule does not hold for `bytes`. Returns whether they are a preferences file.
    @discardableResult
    func check(_ bytes: [UInt8]) throws -> Bool {
        let document: PreferencesDocument
        do {
            document = try readDocument(bytes)
        } catch let error as JSONSyntaxError {
            try checkRefusal(error, of: bytes)
            return false
        }
        try checkChanges(of: document)
        guard let value = try valueAgreeing(with: bytes) else { return true }
        try checkMembers(of: document, against: value)
        try checkWriting(of: value)
        for text in members(of: document).values.prefix(itemCount) { try ItemRules.check(JSONValue(parsing: text)) }
        return true
    }

    private func require(_ condition: Bool, _ rule: String) throws(Broken) {
        guard condition else { throw Broken(rule) }
    }

    /// The text without a byte order mark, which only a whole file may begin with.
    private func unmarked(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// The names and texts of all members, as bytes: Swift takes some names for equal that are not the same bytes.
    private func members(of document: PreferencesDocument) -> [[UInt8]: [UInt8]] {
        Dictionary(document.keys.map { (Array($0.utf8), document[$0] ?? []) }) { first, _ in first }
    }

    private func checkRefusal(_ error: JSONSyntaxError, of bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        try require(lines.indices.contains(error.line - 1), "a refusal names a line of the text: \(error)")
        try require((1...lines[error.line - 1].count + 1).contains(error.column), "a refusal names a column of its line: \(error)")
        do {
            if case .object = try JSONValue(parsing: unmarked(bytes)) {
                throw Broken("what the document refuses, so does the value: \(error)")
            }
        } catch let other as JSONSyntaxError where !error.problem.hasPrefix("expected an object") && other.problem != JSONSyntaxError.unpairedSurrogate {
            let isMarkedTwice = unmarked(bytes) != unmarked(unmarked(bytes))  // columns do not count the mark of either text
            try require(
                (other.line, other.column) == (error.line, error.column) || isMarkedTwice,
                "document and value refuse at one place: \(error), \(other)")
        } catch is JSONSyntaxError {}
    }

    /// The whole as one value; nil where it holds an unpaired surrogate, which only costs the member that it stands in.
    private func valueAgreeing(with bytes: [UInt8]) throws -> JSONValue? {
        do {
            let value = try JSONValue(parsing: unmarked(bytes))
            if case .object = value { return value }
            throw Broken("a document is an object")
        } catch let error as JSONSyntaxError where error.problem == JSONSyntaxError.unpairedSurrogate {
            return nil
        } catch let error as JSONSyntaxError {
            throw Broken("what the document accepts, so does the value: \(error)")
        }
    }

    private func checkMembers(of document: PreferencesDocument, against value: JSONValue) throws {
        guard case .object(let others) = value else { return }
        let names = document.keys.map { Array($0.utf8) }
        try require(zip(names, names.dropFirst()).allSatisfy(!=), "no key stands twice")
        try require(Set(document.keys) == Set(others.keys), "document and value have the same members")
        for (name, text) in members(of: document) {
            let member = try JSONValue(parsing: text)
            // Where two names are equal for Swift, the value has one of the members only.
            guard names.count == others.count else { continue }
            let other = others[String(decoding: name, as: UTF8.self)]
            try require(member.text() == other?.text(), "document and value agree on each member")
        }
    }

    private func checkChanges(of document: PreferencesDocument) throws {
        let added = Array("[ 1.0 ]".utf8)
        let keys = document.keys
        var changes: [PreferencesKey: [UInt8]?] = ["\u{1}new \u{E9}\"": added]
        if let key = keys.last { changes[PreferencesKey(key)] = added }
        if let key = keys.first { changes[PreferencesKey(key)] = .some(nil) }
        var expected = members(of: document)
        for (key, text) in changes { expected[Array(key.text.utf8)] = text }
        let changed = document.applying(changes)
        try require(members(of: changed) == expected, "a change changes what it names, and no other byte")
        let read = try PreferencesDocument(parsing: changed.text)
        try require(members(of: read) == expected, "what is written reads back")
        try require(read.unreachableMembers == document.unreachableMembers, "members that no key leads to stay as they are")
        try require(changed.formattedSize == changed.text.count, "the size of what is formatted is known")
        let same = document.applying(["$new": added]).applying(["$new": nil])
        try require(document.formattedSize == same.text.count, "so is that of what is not yet")
        let again = read.applying(["$new": added]).applying(["$new": nil])
        try require(read.text == changed.text && again.text == read.text, "what is written stays as it is")
    }

    private func checkWriting(of value: JSONValue) throws {
        let text = value.text()
        let read = try JSONValue(parsing: text)
        try require(read == value, "a value that is written reads back equal")
        try require(read.text() == text, "a value has one text")
    }
}

extension PreferencesDocument {
    /// The document with each of these members set or removed, without their versions.
    func applying(_ changes: [PreferencesKey: [UInt8]?]) -> PreferencesDocument {
        var document = self
        document.make(changes.compactMap { document.edit(of: $0, to: $1) })
        return document
    }
}
