import Foundation
import Testing

@testable import StoredValues

/// A key, and what may and may not be stored under it.
struct SchemaCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: AnyStoredKey
    /// JSON that is read without a repair.
    let good: [String]
    /// JSON that is not, or is read as something else.
    let bad: [String]

    init<Item: StorableItem>(_ key: StoredKey<Item>, good: [String], bad: [String]) {
        (testDescription, self.key, self.good, self.bad) = ("\(Item.self) \(key.name)", AnyStoredKey(key), good, bad)
    }

    /// The same for a default of any type.
    init<Item: StorableItem>(_ defaultItem: Item, good: [String], bad: [String]) {
        self.init(StoredKey("key", default: defaultItem), good: good, bad: bad)
    }

    /// JSON of every kind, to try with every type.
    static let corpus = [
        "null", "true", "false", "0", "-1", "1", "14.0", "1e3", "0.5", "255", "256", "-129", "70000", "4294967296", "9223372036854775808", "1e30",
        "\"\"", "\"x\"", "\"dark\"", "\"light\"", "\"DARK\"", "\"30\"", "\"true\"", "\"nan\"", "\"inf\"", "\"2026-11-21T10:59:00Z\"", "\"2026-11-21\"",
        "\"aGk=\"", "\"https://example.com\"", "\"#ff0000\"", "\"6F1B3B2C-0000-4000-8000-000000000000\"", "[]", "[1]", "[1, 2]", "[\"a\"]", "[null]", "[[1]]", "{}",
        "{\"a\": 1}", "{\"1\": 1}", "{\"width\": 1}", "{\"width\": 1.5}", "{\"width\": \"wide\"}", "{\"width\": null}", "{\"title\": \"x\", \"more\": [1]}",
        "{\"up\": 1}", "{\"north\": \"x\"}", "{\"relative\": \"x\"}", "{\"children\": [{\"name\": \"x\", \"children\": []}]}", "{\"name\": 1}", "{\"nested\": {\"level\": 2}}",
        "{\"nested\": {\"level\": \"x\"}}", "{\"nested\": 2}", "{\"circle\": {\"radius\": 1}}", "{\"theme\": \"dark\"}", "{\"theme\": \"pink\"}",
    ]
}

/// What a program reads from a file with one member, and what the schema says of such a file.
enum SchemaRules {
    /// Whether each text is read under the key without a repair, as it is.
    static func areRead(_ texts: [String], as key: AnyStoredKey, in folder: String) throws -> [Bool] {
        try texts.enumerated().map { number, text in
            let path = "\(folder)/\(number)-\(UUID().uuidString).json"
            try writeFinished(Array("{\"\(key.name)\": \(text)}".utf8), to: path)
            return try #require(PreferencesFile(path: path).settings(of: [key]).first).repairs.isEmpty
        }
    }

    /// Whether Python's validator allows files with each of these texts under the key.
    static func areValid(_ texts: [String], as key: AnyStoredKey, in folder: String) async throws -> [Bool] {
        try await areValid(files: texts.map { "{\"\(key.name)\": \($0)}" }, by: PreferencesFile.inMemory().schema(of: [key]), in: folder)
    }

    /// Whether Python's validator allows these files.
    static func areValid(files: [String], by schema: JSONValue, in folder: String) async throws -> [Bool] {
        let question: JSONValue = ["schema": schema, "instances": .array(files.map { .string($0) })]
        let run = try await FinishedProgram.run(
            ["/bin/sh", "-c", Python.command("check_schema.py")], environment: [:], input: "\(question)\n", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return try JSONDecoder().decode([Bool].self, from: Data(run.output.utf8))
    }
}
