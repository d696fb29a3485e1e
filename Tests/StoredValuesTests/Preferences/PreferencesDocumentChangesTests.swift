import Testing

@testable import StoredValues

@Suite("PreferencesDocument: changes")
struct PreferencesDocumentChangesTests {}

extension PreferencesDocumentChangesTests {
    @Test("Changing values in place gives the text and the members that writing everything again gives")
    func valuesInPlace() throws {
        var generator = SystemRandomNumberGenerator()
        let keys = (0..<12).map { "key\($0)" } + ["a \"quoted\" one", "ü"]
        func text(_ number: Int) -> [UInt8] { Array(String(repeating: "\(number)", count: 1 + number % 30).utf8) }
        var document = PreferencesDocument().applying(
            Dictionary(uniqueKeysWithValues: keys.map { (PreferencesKey($0), [UInt8]?.some(text(7))) }))

        for _ in 0..<300 {
            let changed = keys.shuffled(using: &generator).prefix(Int.random(in: 1...5, using: &generator))
            var changes: [PreferencesKey: [UInt8]?] = [:]
            for key in changed { changes[PreferencesKey(key)] = text(Int.random(in: 1...1000, using: &generator)) }
            // Now and then a member goes, or comes back.
            if Int.random(in: 0..<5, using: &generator) == 0, let key = changed.first { changes.updateValue(nil, forKey: PreferencesKey(key)) }

            // A text that was read is formatted anew at its first change.
            let expected = try PreferencesDocument(parsing: document.text).applying(changes)
            document = document.applying(changes)
            #expect(document.text == expected.text)
            for key in keys { #expect(document[key] == expected[key]) }
        }
    }

    @Test("A change takes no more room than is counted, and what is written reads back the same")
    func room() throws {
        var generator = SystemRandomNumberGenerator()
        let keys = (0..<12).map { "key\($0)" } + ["a \"quoted\" one", "ü", ""]
        let foreign = #"{"key5" : [ 1 ],"key3":2, "half \ud800": 0, "$versions": {"key3": 2, "other": "x"}}"#
        for start in [PreferencesDocument(), try PreferencesDocument(parsing: Array(foreign.utf8))] {
            var document = start
            var model: [String: StoredJSON] = [:]
            for key in keys { model[key] = start.stored(PreferencesKey(key)) }
            for step in 0..<200 {
                let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
                // Of a few lengths, so that values take the place of others of their own length too.
                let value = Array(String(repeating: "\(1 + step % 9)", count: Int.random(in: 1...5, using: &generator)).utf8)
                let new = step % 3 == 0 ? nil : StoredJSON(json: value, version: Int.random(in: 0...2, using: &generator))
                let change = MemberChange(new)
                let size = document.formattedSize + document.growth(by: [PreferencesKey(key): change])
                document.apply([PreferencesKey(key): change])
                model[key] = new
                #expect(document.formattedSize == document.text.count && document.formattedSize <= size)

                let read = try PreferencesDocument(parsing: document.text)
                for key in keys {
                    #expect(document.stored(PreferencesKey(key)) == model[key])
                    #expect(read.stored(PreferencesKey(key)) == model[key])
                }
                #expect(read.keys == document.keys && read.unreachableMembers == document.unreachableMembers)
            }
        }
    }
}
