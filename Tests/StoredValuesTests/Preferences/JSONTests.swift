import Glibc
import Testing

@testable import StoredValues

@Suite("JSON")
struct JSONTests {}

extension JSONTests {
    @Test(
        "JSON text is read and written back in readable form",
        arguments: [
            ("null", "null"), (" true ", "true"), ("-0.0", "-0.0"), ("1e400", "1e400"), ("0.10", "0.10"),
            ("\"a\\/b\"", "\"a/b\""), ("\"\\u0041\\ud83d\\ude00\"", "\"A😀\""), ("\"\\u0000\\n\"", "\"\\u0000\\n\""),
            ("[]", "[]"), ("{ }", "{}"), ("[1,[2]]", "[\n  1,\n  [\n    2\n  ]\n]"),
            ("{\"b\":1,\"a\":{\"c\":null}}", "{\n  \"a\": {\n    \"c\": null\n  },\n  \"b\": 1\n}"),
        ])
    func roundTrip(text: String, written: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(String(decoding: value.text(), as: UTF8.self) == written)
    }

    @Test(
        "Text that is not JSON is refused",
        arguments: [
            "", " ", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "01", "1.", ".5", "+1", "1e", "-", "NaN", "tru",
            "nulls", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "1 2", "'a'",
        ])
    func refusal(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test("A syntax error names line and column")
    func position() {
        #expect(throws: JSONSyntaxError(problem: "expected a value", line: 2, column: 8)) {
            try JSONValue(parsing: Array("{\n  \"a\": x}".utf8))
        }
    }

    @Test("Bytes that are not UTF-8 are refused")
    func encoding() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xC3, 0x28, 0x22]) }
    }

    @Test("512 levels of nesting are read, more are refused, and 100,000 do not crash", arguments: [512, 513, 100_000])
    func nesting(depth: Int) {
        let text = Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
        #expect(((try? JSONValue(parsing: text)) != nil) == (depth <= JSONValue.maximumDepth))
    }

    @Test("Of memory that the writer outgrew nothing can be read: it may be of a secret")
    func outgrownMemory() throws {
        let secret = Array("a text that nobody else has, \(UInt64.random(in: 0 ... .max))".utf8)
        var writer = JSONWriter()
        writer.append(secret[...])
        let (start, count) = writer.text.withUnsafeBytes { (UInt(bitPattern: $0.baseAddress), $0.count) }
        // Before, for the allocator gives out what was freed.
        var now = [UInt8](repeating: 0, count: count)
        while writer.text.withUnsafeBytes({ UInt(bitPattern: $0.baseAddress) }) == start { writer.append("0123456789") }
        // By the kernel, as the memory is no longer this test's to read.
        let file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        try #require(pread(file, &now, count, off_t(start)) == count)
        // The allocator writes to the begin of what was freed.
        #expect(now.suffix(16) != secret.suffix(16))
        #expect(writer.text.starts(with: secret))
    }
}

@Suite("The document of a preferences file")
struct PreferencesDocumentTests {}

extension PreferencesDocumentTests {
    private func text(_ document: PreferencesDocument) -> String { String(decoding: document.text, as: UTF8.self) }

    @Test("Members are found whatever their order and spelling, and written sorted with their values as they were")
    func order() throws {
        let document = try PreferencesDocument(parsing: Array(#"{"z":1.50,"\u0061":[1,  2], "é\"":true}"#.utf8))
        #expect(document.keys == ["a", "z", "é\""])
        #expect(document["a"] == Array("[1,  2]".utf8))
        #expect(document["missing"] == nil)
        #expect(text(document.applying(["m": Array("null".utf8)])) == "{\n  \"a\": [1,  2],\n  \"m\": null,\n  \"z\": 1.50,\n  \"é\\\"\": true\n}\n")
    }

    @Test("Of two members with one name the last counts")
    func duplicates() throws {
        let document = try PreferencesDocument(parsing: Array(#"{"a":1,"b":2,"a":3}"#.utf8))
        #expect(document.keys == ["a", "b"])
        #expect(document["a"] == Array("3".utf8))
    }

    @Test("Changes add, replace and remove members anywhere")
    func changes() throws {
        var document = PreferencesDocument()
        var expected: [String: [UInt8]] = [:]
        var generator = SystemRandomNumberGenerator()
        for step in 0..<500 {
            let key = String(UInt8.random(in: 97...122, using: &generator), radix: 36) + (step % 7 == 0 ? "\"\n" : "")
            let value: [UInt8]? = step % 3 == 0 ? nil : Array("\(step)".utf8)
            document = document.applying([PreferencesKey(key): value])
            expected[key] = value
        }
        #expect(Dictionary(uniqueKeysWithValues: document.keys.map { ($0, document[$0]) }) == expected.mapValues(Optional.some))
        #expect(try PreferencesDocument(parsing: document.text).text == document.text)
    }

    @Test("A byte order mark is skipped, and what is no object is refused", arguments: ["[]", "1", "", "{} {}"])
    func shape(text: String) throws {
        #expect(try PreferencesDocument(parsing: [0xEF, 0xBB, 0xBF] + Array("{\"a\":1}".utf8)).keys == ["a"])
        #expect(throws: JSONSyntaxError.self) { try PreferencesDocument(parsing: Array(text.utf8)) }
    }
}
