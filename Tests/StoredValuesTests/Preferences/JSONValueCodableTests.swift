import Foundation
import StoredValues
import Testing

@Suite("JSONValue is Codable")
struct JSONValueCodableTests {}

extension JSONValueCodableTests {
    private static let text = #"{"a": [1, 0.10, 1e400, -9223372036854775808, 18446744073709551615, true, null, "é"], "b": {}, "c": [], "d": {"e": [[]]}}"#

    @Test("In a preferences file it is stored and read to the digit")
    func stored() throws {
        try withTemporaryFolder { folder in
            let path = "\(folder)/p.json", json = try #require(JSONValue(text: Self.text))
            StoredValue(key: "any", default: JSONValue.null, storage: PreferencesFile(path: path)).set(json)
            let text = try contents(ofFile: path)
            #expect(text.contains("0.10") && text.contains("1e400"))
            let again = StoredValue(key: "any", default: ["x": JSONValue.null], storage: PreferencesFile(path: path)).repairs
            #expect(again.isEmpty)
            #expect(PreferencesFile(path: path)[StoredKey("any", default: JSONValue.null)] == json)
        }
    }

    @Test("Foundation's coders take it, with the numbers that they have")
    func foundation() throws {
        let text = #"{"a":[1,0.5,-9223372036854775808,18446744073709551615,true,null,"é"],"b":{},"c":[],"d":"1"}"#
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(json == JSONValue(text: text))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(json), as: UTF8.self) == text)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([JSONValue(text: "1e400")]) }
    }

    @Test("More levels than are read are not stored")
    func deep() {
        let deep = (0..<600).reduce(JSONValue.null) { json, _ in [json] }
        withTemporaryStorage {
            let value = StoredValue(key: "deep", default: JSONValue.null)
            #expect(throws: PreferencesError.self) { try value.set(checking: deep) }
            #expect(value.value == .null)
        }
    }

    @Test("A text that is JSON is parsed, and an error says where another one is wrong")
    func parsed() throws {
        #expect(JSONValue(text: " [1, 2.50] ") == [1, .number(try #require(JSONNumber(text: "2.50")))])
        #expect(JSONValue(text: "[1,") == nil && JSONValue(text: "") == nil && JSONValue(text: "dark") == nil)
        #expect(try JSONValue(parsing: #"{"a": true}"#) == ["a": true])
        do {
            _ = try JSONValue(parsing: "{\"a\":\n oops}")
            Issue.record("it is not JSON")
        } catch {
            #expect("\(error)".contains("line 2, column 2"))
        }
    }
}
