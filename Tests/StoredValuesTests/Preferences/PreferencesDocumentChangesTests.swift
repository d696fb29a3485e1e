import Testing

@testable import StoredValues

@Suite("PreferencesDocument: values in place")
struct PreferencesDocumentChangesTests {
    @Test("Changing values in place gives the text and the members that writing everything anew gives")
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

            // A text that was read is laid out anew at its first change.
            let expected = try PreferencesDocument(parsing: document.text).applying(changes)
            document = document.applying(changes)
            #expect(document.text == expected.text)
            for key in keys { #expect(document[key] == expected[key]) }
        }
    }
}
