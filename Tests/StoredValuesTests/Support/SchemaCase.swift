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
    /// What is tried under the key.
    var texts: [String] { good + bad + Self.corpus }

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
        try await areValid(Question(texts, as: key), in: folder)
    }

    /// Whether Python's validator allows these files.
    static func areValid(files: [String], by schema: JSONValue, in folder: String) async throws -> [Bool] {
        try await areValid(Question(schema: schema, files: files), in: folder)
    }

    private static func areValid(_ question: Question, in folder: String) async throws -> [Bool] {
        try await answers(to: [question], in: folder)[0].get()
    }

    /// What Python's validator says to each of these questions. One process answers all of them: its start takes longer than its answers.
    static func answers(to questions: [Question], in folder: String) async throws -> [Answer] {
        let run = try await FinishedProgram.run(
            ["/bin/sh", "-c", Python.command("check_schema.py")], environment: [:], input: questions.map(\.line).joined(), in: folder)
        let lines = run.output.split(separator: "\n")
        guard run.status == 0, lines.count == questions.count else { throw NoAnswer(reason: run.errors) }
        return try lines.map { try JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }
    }

    /// Which of these files a schema allows.
    struct Question {
        let schema: JSONValue
        let files: [String]

        init(schema: JSONValue, files: [String]) { (self.schema, self.files) = (schema, files) }

        /// The same of files with each of these texts under the key.
        init(_ texts: [String], as key: AnyStoredKey) {
            self.init(schema: PreferencesFile.inMemory().schema(of: [key]), files: texts.map { "{\"\(key.name)\": \($0)}" })
        }

        fileprivate var line: String {
            let json: JSONValue = ["schema": schema, "instances": .array(files.map { .string($0) })]
            return "\(json)\n"
        }
    }

    /// Whether each file is allowed, or why nobody can tell.
    struct Answer: Decodable, Sendable {
        private let valid: [Bool]?
        private let error: String?

        func get() throws -> [Bool] {
            guard let valid else { throw NoAnswer(reason: error ?? "nothing") }
            return valid
        }
    }

    private struct NoAnswer: Error, CustomStringConvertible {
        let reason: String
        var description: String { "the validator says: \(reason)" }
    }
}
