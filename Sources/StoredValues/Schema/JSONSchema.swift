/// A JSON Schema (2020-12) of a value. An empty one allows everything.
///
/// Only the part of the standard that this library writes is checked: `type`, `enum`, `minimum`, `maximum`, `pattern`, `properties`,
/// `additionalProperties`, `propertyNames`, `items` and `anyOf`. Anything else in a schema is ignored.
package struct JSONSchema: Sendable, Hashable {
    package var json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    static let anything = JSONSchema([:])
    var isAnything: Bool { json == [:] }

    /// What is read as a `Decimal`: the object is what its own `encode(to:)` writes, here only for nan.
    static let decimal = JSONSchema(anyOf: [JSONSchema(type: "number"), JSONSchema(type: "object")])

    /// A schema for values of one JSON type.
    init(type: String, _ more: [String: JSONValue] = [:]) {
        json = .object(more.merging(["type": .string(type)]) { $1 })
    }

    /// Allows what one of `schemas` allows; everything if there is none.
    init(anyOf schemas: [JSONSchema]) {
        var distinct: [JSONValue] = []
        for schema in schemas {
            for choice in schema.json["anyOf"]?.arrayValue ?? [schema.json] where !distinct.contains(choice) { distinct.append(choice) }
        }
        if distinct.isEmpty || distinct.contains([:]) {
            self = .anything
        } else {
            json = distinct.count == 1 ? distinct[0] : ["anyOf": .array(distinct)]
        }
    }

    private var choices: [JSONSchema]? { json["anyOf"]?.arrayValue.map { $0.map(JSONSchema.init) } }

    /// The JSON types that are allowed, empty if any is.
    private var types: [String] { json["type"]?.arrayValue?.compactMap(\.stringValue) ?? [json["type"]?.stringValue].compactMap(\.self) }

    /// Whether everything that is allowed is a text or null.
    var isText: Bool {
        if let choices { return choices.allSatisfy(\.isText) }
        return !types.isEmpty && types.allSatisfy { $0 == "string" || $0 == "null" }
    }

    /// Whether it allows only numbers and what stands for nan and infinity: words, or the object that a `Decimal` writes.
    var isNumber: Bool {
        if self == .decimal { return true }
        if let choices { return choices.contains(where: \.isNumber) && choices.allSatisfy { $0.isNumber || $0.json["enum"] != nil } }
        return types == ["integer"] || types == ["number"]
    }

    /// The values that are listed one by one; empty if they are not.
    package var cases: [JSONValue] {
        if let choices { return choices.flatMap(\.cases) }
        return json["enum"]?.arrayValue ?? (types == ["boolean"] ? [true, false] : [])
    }
}

// MARK: Checking

extension JSONSchema {
    package func allows(_ value: JSONValue) -> Bool { misfit(value) == nil }

    /// Why the value, a part at `path` of a larger one, is not allowed, as a clause such as "it must be a number"; nil if it is.
    package func misfit(_ value: JSONValue, in path: String = "") -> String? {
        if let choices, !choices.contains(where: { $0.allows(value) }) {
            // If only one choice is of that kind, its message is more precise.
            let near = choices.filter { $0.types.contains { Self.is(value, $0) } }
            return near.count == 1 ? near[0].misfit(value, in: path) : mustBe(path)
        }
        guard types.isEmpty || types.contains(where: { Self.is(value, $0) }) else { return mustBe(path) }
        if let list = json["enum"]?.arrayValue, !list.contains(where: { Self.isSame($0, value) }) { return mustBe(path) }
        switch value {
        case .number(let number):
            let isIn = bound("minimum").map { !number.isLess(than: $0) } ?? true && bound("maximum").map { !$0.isLess(than: number) } ?? true
            return isIn ? nil : mustBe(path)
        case .string(let text):
            guard let pattern = json["pattern"]?.stringValue, let regex = try? Regex(pattern).matchingSemantics(.unicodeScalar) else { return nil }
            return text.contains(regex) ? nil : mustBe(path)
        case .array(let elements):
            guard let items = json["items"].map(JSONSchema.init) else { return nil }
            return elements.indices.lazy.compactMap { items.misfit(elements[$0], in: "\(path)[\($0)]") }.first
        case .object(let members):
            let others = json["additionalProperties"].map(JSONSchema.init), names = json["propertyNames"].map(JSONSchema.init)
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                let part = path.isEmpty ? name : "\(path).\(name)"
                if let names, !names.allows(.string(name)) { return "the name of \(part) must be \(names.words)" }
                let schema = json["properties"]?[name].map(JSONSchema.init) ?? others
                if let misfit = schema?.misfit(value, in: part) { return misfit }
            }
            return nil
        case .null, .bool: return nil
        }
    }

    private func bound(_ name: String) -> JSONNumber? { if case .number(let number)? = json[name] { number } else { nil } }

    private func mustBe(_ path: String) -> String { "\(path.isEmpty ? "it" : path) must be \(words)" }

    private static func `is`(_ value: JSONValue, _ type: String) -> Bool {
        switch value {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .number(let number): type == "number" || (type == "integer" && number.isInteger)
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }

    private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        if case (.number(let one), .number(let other)) = (one, other) { return one.isSame(as: other) }
        return one == other
    }
}

// MARK: Words

extension JSONSchema {
    /// What is allowed, in words: "a whole number from 1 to 100"; "anything" if everything is.
    package var words: String {
        if let choices { return Self.list(choices.map(\.words)) }
        if let list = json["enum"]?.arrayValue { return Self.list(list.map { $0.stringValue ?? "\($0)" }) }
        if case .array(let examples)? = json["examples"], let example = examples.first?.stringValue { return "a text such as \(example)" }
        let words = types.map { type in
            switch type {
            case "integer": "a whole number\(limits)"
            case "number": "a number\(limits)"
            case "string": "a text"
            case "boolean": "true or false"
            case "array": "a list"
            case "object": "an object"
            default: type
            }
        }
        return Self.list(words)
    }

    private var limits: String {
        // The limits of 64-bit integers are no help to people.
        func shown(_ name: String) -> JSONNumber? { bound(name).flatMap { $0.text.utf8.count > 12 ? nil : $0 } }
        return switch (shown("minimum"), shown("maximum")) {
        case (let low?, let high?): " from \(low) to \(high)"
        case (let low?, nil): " of at least \(low)"
        case (nil, let high?): " of at most \(high)"
        case (nil, nil): ""
        }
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "anything" }
        return "\(words.dropLast().joined(separator: ", ")) or \(last)"
    }
}
