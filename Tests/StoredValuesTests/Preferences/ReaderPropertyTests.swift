import Testing

@testable import StoredValues

@Suite("The reader and writer of preferences, on random input", .heavy, .hangLimit)
struct ReaderPropertyTests {}

extension ReaderPropertyTests {
    @Test("Every value reads back equal from the text that is written for it", arguments: SeededGenerator.seeds(2))
    func values(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let value = JSONValue.random(depth: 4, using: &generator)
            let text = value.text(level: Int.random(in: 0...3, using: &generator))
            let read = try JSONValue(parsing: text)
            #expect(read == value, "TEST_SEED=\(seed)")
            #expect(read.text() == value.text(), "TEST_SEED=\(seed)")
        }
    }

    @Test("Any changes make of a document what they make of a dictionary, and no byte else changes", arguments: SeededGenerator.seeds(2))
    func changes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            // As a person might write it: in any order, indented in any way, with escapes.
            var model: [PreferencesKey: [UInt8]] = [:]
            var members: [String] = []
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let key = String.random(using: &generator)
                let text = JSONValue.random(depth: 2, using: &generator).text(level: Int.random(in: 0...3, using: &generator))
                model[PreferencesKey(key)] = text
                members.append("\(spelled(key, using: &generator)):\(String(decoding: text, as: UTF8.self))")
            }
            var document = try PreferencesDocument(parsing: Array("{ \(members.joined(separator: "\t,\r\n")) }".utf8))
            for _ in 0..<20 {
                var changes: [PreferencesKey: [UInt8]?] = [:]
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    let known = model.keys.sorted { $0.text < $1.text }.randomElement(using: &generator)
                    let key = Bool.random(using: &generator) ? known ?? "a" : PreferencesKey(String.random(using: &generator))
                    changes[key] = .some(Bool.random(using: &generator) ? nil : JSONValue.random(depth: 2, using: &generator).text(level: 1))
                }
                document = document.applying(changes)
                for (key, text) in changes { model[key] = text }
                if Int.random(in: 0..<4, using: &generator) == 0 { document = try PreferencesDocument(parsing: document.text) }
                let found = document.keys.map { (PreferencesKey($0), document[$0] ?? []) }
                #expect(Dictionary(found) { first, _ in first } == model && found.count == model.count, "TEST_SEED=\(seed)")
            }
        }
    }

    /// A name in quotes, in one of the spellings that JSON has for it.
    private func spelled(_ key: String, using generator: inout SeededGenerator) -> String {
        let units = key.utf16.map { unit -> String in
            let digits = String(unit, radix: 16, uppercase: Bool.random(using: &generator))
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        guard Bool.random(using: &generator) else { return String(decoding: JSONValue.string(key).text(), as: UTF8.self) }
        return "\"\(units.joined())\""
    }

    /// The files that are changed at random: short ones, so that many can be tried.
    private static let startingPoints =
        HostileFile.all.map(\.bytes).filter { $0.count < 200 }
        + [
            #"{"a": {"n": [1, -2.5e3, true], "up": "x"}, "n": "2001-01-01T00:00:00.25+01:00", "z": null}"#,
            #"{"b": [[null, "2026-11-21T12:00:00Z"]], "a\n": {"name": "é", "children": [{"name": "", "children": []}]}}"#,
            #"{"1": 1, "a": {"1": 1, "-2": null}, "c": ["nan", "https://example.com/ä?b", "aGk=", "\ud83d\ude00"]}"#,
        ].map { Array($0.utf8) }

    @Test("Whatever is changed in a file, it is read or refused, and what is read keeps every rule", arguments: SeededGenerator.seeds(2))
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for number in 0..<2_500 {  // many more are tried where it is fast: `Fuzzing/run --self-test`
            // Every other time one of the last three, which are sound.
            let points = number.isMultiple(of: 2) ? Self.startingPoints[...] : Self.startingPoints.suffix(3)
            var mutator = Mutator(bytes: points[points.startIndex + number / 2 % points.count])
            for _ in 0..<(number % 8 < 6 ? 1 : 4) { mutator.mutate(using: &generator) }
            do {
                if try ReaderRules(itemCount: 1).check(mutator.bytes) { accepted += 1 }
            } catch {
                Issue.record(error, "TEST_SEED=\(seed), input \(number): \(mutator.bytes)")
                return
            }
        }
        #expect(accepted > 250, "not too much may be refused for its first byte")
    }

    @Test("The rules notice a reader that loses a member, one that changes a value, and one that is too strict or too lax")
    func rulesCanFail() {
        let text = Array(#"{"a": 1, "b": [2]}"#.utf8)
        struct Strict: Error {}
        let wrong: [(String, @Sendable ([UInt8]) throws -> PreferencesDocument)] = [
            ("same members", { try PreferencesDocument(parsing: $0).applying(["a": nil]) }),
            ("agree on each member", { try PreferencesDocument(parsing: $0).applying(["a": Array("2".utf8)]) }),
            ("so does the value", { _ in throw JSONSyntaxError(problem: "too strict", line: 1, column: 1) }),
            ("names a line", { _ in throw JSONSyntaxError(problem: "nowhere", line: 2, column: 1) }),
        ]
        for (rule, reader) in wrong {
            let error = #expect(throws: ReaderRules.Broken.self) { try ReaderRules(readDocument: reader).check(text) }
            #expect(error?.description.contains(rule) == true)
        }
        let lax = ReaderRules(readDocument: { _ in PreferencesDocument() })
        let error = #expect(throws: ReaderRules.Broken.self) { try lax.check([0xFF]) }
        #expect(error?.description.contains("so does the value") == true)
    }
}
