import Foundation
import Testing

@testable import StoredValues

extension SchemaTests {
    fileprivate enum Theme: String, Codable, CaseIterable { case light, dark }
    fileprivate enum Level: Int, Codable, CaseIterable { case low = 1, high = 3 }
    fileprivate enum Open: String, Codable { case light, dark }
    fileprivate enum Direction: String, Codable, CaseIterable { case up, down }

    /// An enum that reads also an older name.
    fileprivate enum Lenient: String, Codable, CaseIterable {
        case light, dark
        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            self = text == "x" ? .dark : .init(rawValue: text) ?? .light
        }
    }

    fileprivate enum Shape: Codable {
        case circle(radius: Double)
        case square(side: Double)
    }

    /// One member says what the other is; tagged by a text.
    fileprivate enum Act: Codable {
        case wait(Double)
        case open(String)
        enum Keys: CodingKey { case type, value }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            switch try container.decode(String.self, forKey: .type) {
            case "wait": self = .wait(try container.decode(Double.self, forKey: .value))
            case "open": self = .open(try container.decode(String.self, forKey: .value))
            default: throw DecodingError.dataCorruptedError(forKey: .type, in: container, debugDescription: "no act")
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            switch self {
            case .wait(let time):
                try container.encode("wait", forKey: .type)
                try container.encode(time, forKey: .value)
            case .open(let path):
                try container.encode("open", forKey: .type)
                try container.encode(path, forKey: .value)
            }
        }
    }

    /// The same as a struct, by a text, a number, a Bool or the cases of an enum.
    fileprivate struct Step<Kind: Codable & Sendable>: Codable {
        var type: Kind
        var value = 1.0
        init(_ type: Kind) { self.type = type }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(Kind.self, forKey: .type)
            switch "\(type)" {
            case "up", "1", "true": value = try container.decode(Double.self, forKey: .value)
            case "down", "2", "false": value = Double(try container.decode(String.self, forKey: .value).count)
            default: throw DecodingError.dataCorruptedError(forKey: .type, in: container, debugDescription: "no step")
            }
        }
    }

    /// The same, where the member that decides is also asked for as a decoder.
    fileprivate struct Move: Codable {
        var type = "up", value = 1.0
        init() {}
        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: CodingKeys.self).superDecoder(forKey: .type)
            let step = try Step<String>(from: decoder)
            (type, value) = (step.type, step.value)
        }
    }

    /// More cases than are listed.
    fileprivate struct Numbered: Codable, CaseIterable, RawRepresentable {
        let rawValue: String
        init?(rawValue: String) {
            guard let number = Int(rawValue.dropFirst()), rawValue == "n\(number)", (0..<1200).contains(number) else { return nil }
            self.rawValue = rawValue
        }
        static var allCases: [Numbered] { (0..<1200).compactMap { Numbered(rawValue: "n\($0)") } }
    }

    fileprivate struct Window: Codable {
        struct Nested: Codable { var level = 1 }
        var width = 800
        var title: String?
        var theme = Theme.light
        var nested = Nested()
        var scale = 1.0
    }

    /// A type that contains itself.
    fileprivate struct Tree: Codable {
        var name = ""
        var children: [Tree] = []
        var parent: [Tree]?
    }

    /// Seconds, or a text with a unit.
    fileprivate struct Timeout: Codable {
        var seconds = 30
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) { seconds = number; return }
            let text = try container.decode(String.self)
            guard text.hasSuffix("s"), let number = Int(text.dropLast()) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time")
            }
            seconds = number
        }
        func encode(to encoder: any Encoder) throws { try seconds.encode(to: encoder) }
    }

    /// A member that reads whatever is there.
    fileprivate struct Forgiving: Codable {
        var width = 1
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            width = (try? container.decode(Int.self, forKey: .width)) ?? 7
        }
    }

    /// A member of which the type asks for the decoder, if it is not null.
    fileprivate struct Panel: Codable {
        enum CodingKeys: CodingKey { case theme }
        struct Theme: Codable { var name = "light" }
        var theme: Theme?
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            theme = try container.decodeNil(forKey: .theme) ? nil : Theme(from: container.superDecoder(forKey: .theme))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(theme, forKey: .theme)
        }
    }

    fileprivate struct Whatever: Codable {
        init() {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws { try "x".encode(to: encoder) }
    }

    fileprivate struct Page: VersionedItem {
        static let version = 1
        var width = 1
        static func migrate(_ json: inout JSONValue, from version: Int) { json = ["width": 5] }
    }

    fileprivate struct NotEncodable: Codable {
        init() {}
        init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer().decode(Int.self) }
        func encode(to encoder: any Encoder) throws { throw EncodingError.invalidValue(1, .init(codingPath: [], debugDescription: "odd")) }
    }

    fileprivate final class Node: Codable, Sendable {
        let next: Node?
        let value: Int
        init(next: Node?, value: Int) { (self.next, self.value) = (next, value) }
    }
}

@Suite("The schema of a file", .hangLimit)
struct SchemaTests {}

extension SchemaTests {
    private static let cases: [SchemaCase] = [
        SchemaCase(true, good: ["true", "false"], bad: ["1", "\"true\"", "null"]),
        SchemaCase("", good: ["\"\"", "\"30\""], bad: ["30", "null", "[]"]),
        SchemaCase(1, good: ["1", "-5", "14.0", "1e3", "9223372036854775807"], bad: ["1.5", "9223372036854775808", "\"1\"", "null", "true"]),
        SchemaCase(UInt8(1), good: ["0", "255"], bad: ["-1", "256", "0.5"]),
        SchemaCase(Int128(1), good: ["170141183460469231731687303715884105727"], bad: ["170141183460469231731687303715884105728"]),
        SchemaCase(1.5, good: ["1", "0.5", "\"nan\"", "\"-inf\""], bad: ["\"x\"", "\"0.5\"", "null"]),
        SchemaCase(Double.nan, good: ["1", "\"nan\""], bad: ["true"]),
        SchemaCase(Float.infinity, good: ["1", "\"inf\""], bad: ["{}"]),
        SchemaCase(
            Date(timeIntervalSince1970: 0), good: ["\"2026-11-21T10:59:00Z\"", "\"2026-11-21T10:59:00.25+0100\"", "\"2026-11-21T24:00:00-01:30\"", "5", "\"nan\""],
            bad: ["\"2026-11-21\"", "\"yesterday\"", "\"30\"", "true"]),
        SchemaCase(Date.distantPast, good: ["-1e12"], bad: ["null"]),
        SchemaCase(Data(), good: ["\"\"", "\"aGk=\""], bad: ["\"a b\"", "1", "[1]"]),
        SchemaCase(URL(string: "https://example.com"), good: ["\"https://a.b\"", "null", "{\"relative\": \"x\"}"], bad: ["1", "true"]),
        SchemaCase(Decimal(1), good: ["1", "0.1", "12345678901234567890"], bad: ["\"1\"", "null"]),
        SchemaCase(UUID(), good: ["\"6F1B3B2C-0000-4000-8000-000000000000\""], bad: ["1", "{}"]),
        SchemaCase(Int?.none, good: ["null", "1"], bad: ["\"1\"", "1.5"]),
        SchemaCase(Theme?.none, good: ["null", "\"dark\""], bad: ["\"pink\"", "1"]),
        SchemaCase(Window?.none, good: ["null", "{\"title\": \"x\"}".replacing("{", with: "{\"width\": 1, \"theme\": \"dark\", \"nested\": {\"level\": 1}, \"scale\": 2, ")], bad: ["1", "[]"]),
        SchemaCase(Theme.light, good: ["\"light\"", "\"dark\""], bad: ["\"pink\"", "\"Dark\"", "1", "null"]),
        SchemaCase(Level.low, good: ["1", "3", "3.0"], bad: ["2", "\"low\""]),
        SchemaCase(Open.light, good: ["\"light\""], bad: ["1"]),
        SchemaCase(Lenient.light, good: ["\"light\"", "\"x\"", "\"anything\""], bad: ["1"]),
        SchemaCase([1], good: ["[]", "[1, 2]"], bad: ["[1, \"a\"]", "1", "{}", "[null]"]),
        SchemaCase([Theme](), good: ["[\"dark\"]"], bad: ["[\"pink\"]"]),
        SchemaCase(Set(["b", "a"]), good: ["[\"a\"]"], bad: ["[1]", "\"a\""]),
        SchemaCase([[Int]](), good: ["[[1], []]"], bad: ["[1]", "[[\"a\"]]"]),
        SchemaCase([Window](), good: ["[]"], bad: ["[{\"width\": \"x\"}]", "[1]"]),
        SchemaCase(["a": 1], good: ["{}", "{\"b\": 2}"], bad: ["{\"b\": \"x\"}", "[]", "1"]),
        SchemaCase([1: "a"], good: ["{\"2\": \"x\"}"], bad: ["{\"x\": \"y\"}", "{\"1\": 1}"]),
        SchemaCase([Direction.up: 1], good: ["{\"down\": 1}"], bad: ["{\"left\": 1}", "{\"up\": \"x\"}"]),
        SchemaCase([Level.low: 1], good: ["{\"3\": 1}", "{\"01\": 1}", "{\"+3\": 1}"], bad: ["{\"2\": 1}", "{\"33\": 1}", "{\"low\": 1}"]),
        SchemaCase([Date: Int](), good: ["[]"], bad: ["{}", "1"]),
        SchemaCase(1..<5, good: ["[1, 2]"], bad: ["1", "{}"]),
        SchemaCase(
            Window(), good: ["{}", "{\"width\": 1}", "{\"title\": null}", "{\"title\": \"x\", \"more\": 1}", "{\"nested\": {}}", "{\"scale\": \"nan\"}"],
            bad: ["{\"width\": \"x\"}", "{\"width\": 1.5}", "{\"width\": null}", "{\"title\": 1}", "{\"theme\": \"pink\"}", "{\"nested\": {\"level\": \"x\"}}", "[]"]),
        SchemaCase(Tree(), good: ["{}", "{\"children\": [{\"name\": \"x\", \"children\": []}]}"], bad: ["{\"name\": 1}", "{\"children\": 1}"]),
        SchemaCase(Node(next: nil, value: 1), good: ["{\"value\": 2, \"next\": {\"value\": 3}}"], bad: ["{\"value\": \"x\"}"]),
        SchemaCase(Shape.circle(radius: 1), good: ["{\"circle\": {\"radius\": 2}}", "{\"square\": {\"side\": 2}}"], bad: ["1", "{\"circle\": 1}"]),
        SchemaCase(Act.wait(1), good: [#"{"type": "wait", "value": 1}"#, #"{"type": "open", "value": "file"}"#], bad: ["1"]),
        SchemaCase([Act.wait(1)], good: [#"[{"type": "open", "value": "file"}]"#], bad: ["1", "[1]"]),
        SchemaCase(Step("up"), good: [#"{"type": "up", "value": 1}"#, #"{"type": "down", "value": "x"}"#], bad: ["1", #"{"type": 1, "value": 1}"#]),
        SchemaCase(Move(), good: [#"{"type": "up", "value": 1}"#, #"{"type": "down", "value": "x"}"#], bad: ["1"]),
        SchemaCase(Step(Direction.up), good: [#"{"type": "down", "value": "x"}"#], bad: ["1", #"{"type": "left", "value": 1}"#]),
        SchemaCase(Step(1), good: [#"{"type": 2, "value": "x"}"#], bad: ["1", #"{"type": "x", "value": 1}"#]),
        SchemaCase(Step(true), good: [#"{"type": false, "value": "x"}"#], bad: ["1", #"{"type": "x", "value": 1}"#]),
        SchemaCase(Numbered.allCases[0], good: ["\"n0\"", "\"n1100\""], bad: ["1"]),
        SchemaCase(Timeout(), good: ["5", "\"5s\""], bad: ["true", "[]", "1.5"]),
        SchemaCase(Forgiving(), good: ["{\"width\": \"x\"}", "{\"width\": null}"], bad: ["1"]),
        SchemaCase(Panel(), good: ["{\"theme\": null}", "{\"theme\": {\"name\": \"dark\"}}"], bad: ["1"]),
        SchemaCase(Whatever(), good: ["1", "null", "{}", "\"x\""], bad: []),
        SchemaCase(NotEncodable(), good: ["1"], bad: []),
        SchemaCase(JSONValue.null, good: ["1", "null", "{\"a\": [1]}"], bad: []),
        SchemaCase(Page(), good: ["{\"anything\": 1}", "1"], bad: []),
        SchemaCase(StoredKey("limit", default: 60, in: 1...100), good: ["1", "100"], bad: ["\"x\"", "1.5"]),
        SchemaCase(StoredKey("ratio", default: 0.5, in: 0...1), good: ["0", "0.5"], bad: ["\"nan\"", "\"x\""]),
        SchemaCase(StoredKey("ratio", default: 1, in: 0...Double.infinity), good: ["0", "1e300", "\"inf\""], bad: ["\"nan\"", "\"x\""]),
        SchemaCase(StoredKey("price", default: Decimal(1), in: 0...100), good: ["0", "99.99"], bad: ["\"x\"", "null"]),
        SchemaCase(StoredKey("name", default: "m", in: "a"..."z"), good: ["\"b\""], bad: ["1"]),
        SchemaCase(StoredKey("even", default: 2, validate: { $0 / 2 * 2 }), good: ["4"], bad: ["\"x\""]),
    ]

    /// What Python's validator says of each case, asked once for all. Detached, for it belongs to no case.
    private static let answers: Task<[SchemaRules.Answer], any Error> = Task.detached {
        try await withTemporaryFolder { folder in
            try await SchemaRules.answers(to: SchemaTests.cases.map { SchemaRules.Question($0.texts, as: $0.key) }, in: folder)
        }
    }

    @Test(
        "What is read without a repair is valid for Python's jsonschema, and what is no such value is not",
        .enabled(if: Python.isAvailable, "\(Python.skipReason)"), arguments: zip(cases, cases.indices))
    func types(_ item: SchemaCase, index: Int) async throws {
        try await withTemporaryFolder { folder in
            let texts = item.texts
            let areRead = try SchemaRules.areRead(texts, as: item.key, in: folder)
            let areValid = try await Self.answers.value[index].get()
            for (number, text) in texts.enumerated() {
                if number < item.good.count {
                    #expect(areRead[number] && areValid[number], "\(text) is good")
                } else if number < item.good.count + item.bad.count {
                    #expect(!areRead[number] && !areValid[number], "\(text) is bad")
                } else if areRead[number], item.key.key.setting(in: .inMemory("{\"\(item.key.name)\": \(text)}")).range == nil {
                    #expect(areValid[number], "\(text) is read")
                }
            }
            // The check that the tools make says the same.
            let schema = JSONSchema(item.key.key.declaration)
            let allowed = try texts.map { schema.allows(try JSONValue(parsing: $0)) }
            for (number, text) in texts.enumerated() { #expect(allowed[number] == areValid[number], "\(text)") }
        }
    }

    @Test("A range is the minimum and the maximum, and what lies outside is not valid", .enabled(if: Python.isAvailable, "\(Python.skipReason)"))
    func range() async throws {
        try await withTemporaryFolder { folder in
            let key = AnyStoredKey(StoredKey("limit", default: 60, in: 1...100))
            let areValid = try await SchemaRules.areValid(["0", "1", "100", "101"], as: key, in: folder)
            #expect(areValid == [false, true, true, false])
            let declaration = key.key.declaration
            #expect(declaration["minimum"] == 1 && declaration["maximum"] == 100 && declaration["type"] == "integer")
        }
    }

    @Test("A range of decimals is the minimum and the maximum, too")
    func rangeOfDecimals() throws {
        let schema = JSONSchema(AnyStoredKey(StoredKey("price", default: Decimal(1), in: 0...100)).key.declaration)
        for text in ["0", "99.99", "100"] { #expect(try schema.allows(JSONValue(parsing: text)), "\(text)") }
        for text in ["-1", "100.01", "500"] { #expect(try schema.misfit(JSONValue(parsing: text)) == "it must be a number from 0 to 100", "\(text)") }
    }

    @Test("Former names, members with a dollar sign and undeclared keys are valid, whatever they hold", .enabled(if: Python.isAvailable, "\(Python.skipReason)"))
    func others() async throws {
        try await withTemporaryFolder { folder in
            let limit = StoredKey("limit", default: 60, formerKeys: ["maximum", "max"], title: "Limit", help: "Requests a minute")
            let schema = PreferencesFile.inMemory().schema(of: [AnyStoredKey(limit)])
            let files = [
                "{}", #"{"maximum": "x", "max": []}"#, #"{"$versions": {"limit": 0}, "$imported": ["a"], "$schema": "x"}"#, #"{"other": 1}"#, #"{"limit": 1}"#,
            ]
            #expect(try await SchemaRules.areValid(files: files + ["[]", #"{"limit": "x"}"#], by: schema, in: folder) == [true, true, true, true, true, false, false])
            let declaration = try #require(schema["properties"]?["limit"])
            #expect(declaration["title"] == "Limit" && declaration["description"] == "Requests a minute" && declaration["default"] == 60)
        }
    }

    @Test(
        "The words for what is allowed are those of a person",
        arguments: [
            (AnyStoredKey(StoredKey("a", default: 1, in: 1...9)), "a whole number from 1 to 9"), (AnyStoredKey(StoredKey("a", default: 1)), "a whole number"),
            (AnyStoredKey(StoredKey("a", default: Theme.light)), "light or dark"), (AnyStoredKey(StoredKey("a", default: true)), "true or false"),
            (AnyStoredKey(StoredKey("a", default: Int?.none)), "a whole number or null"),
            (AnyStoredKey(StoredKey("a", default: Date.now)), "a text such as 2026-11-21T10:59:00Z or a number"),
        ])
    func words(key: AnyStoredKey, words: String) { #expect(JSONSchema(key.key.declaration).words == words) }

    @Test("What does not fit is named by its place")
    func place() throws {
        let schema = JSONSchema(AnyStoredKey(StoredKey("windows", default: [Window()])).key.declaration)
        let misfit = schema.misfit([["width": 1], ["nested": ["level": "x"]]])
        #expect(misfit == "[1].nested.level must be a whole number")
    }
}
