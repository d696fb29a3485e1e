import FoundationEssentials
import StoredValuesSupport

/// Finds the JSON Schema of a type: which JSON is read as an item without a repair.
///
/// The schemas of types that the library encodes itself are known. For any other type, `init(from:)` is run on a value of each kind, and
/// what it requests from its decoder is what it reads. The same is tried with each member of the default. The schema must allow whatever
/// the item reads; a part of it that would not is left out.
struct ItemShape {
    /// The types that contain the current one; a type may contain itself.
    private var outer: Set<ObjectIdentifier> = []

    /// The schema of items of this type; the sample is an item's JSON, such as the default's.
    static func schema(of type: any Decodable.Type, sample: JSONValue?) -> JSONSchema {
        var shape = ItemShape()
        return shape.schema(of: type, sample)
    }

    private mutating func schema(of type: any Any.Type, _ sample: JSONValue?) -> JSONSchema {
        guard let type = type as? any Decodable.Type else { return .anything }
        if let known = Self.known[ObjectIdentifier(type)] { return known }
        guard outer.insert(ObjectIdentifier(type)).inserted else { return .anything }
        defer { outer.remove(ObjectIdentifier(type)) }
        switch type {
        case let type as any OptionalItem.Type:
            let wrapped = schema(of: type.wrapped, sample == .null ? nil : sample)
            return wrapped.isAnything ? wrapped : JSONSchema(anyOf: [wrapped, JSONSchema(type: "null")])
        case let type as any ListItem.Type:
            let items = schema(of: type.element, sample?.arrayValue?.first)
            return JSONSchema(type: "array", items.isAnything ? [:] : ["items": items.json])
        case let type as any DictionaryItem.Type:
            guard let names = type.names else { return JSONSchema(type: "array") }
            let values = schema(of: type.value, sample?.objectValue?.min { $0.key < $1.key }?.value)
            var more: [String: JSONValue] = values.isAnything ? [:] : ["additionalProperties": values.json]
            if !names.isAnything { more["propertyNames"] = names.json }
            let object = JSONSchema(type: "object", more)
            // It also reads what its own `encode(to:)` writes.
            return type is any RawKeyedDictionary.Type ? JSONSchema(anyOf: [object, JSONSchema(type: "array")]) : object
        default:
            let cases = Self.cases(of: type)
            return cases.isEmpty ? found(type, sample) : JSONSchema(["enum": .array(cases)])
        }
    }

    // MARK: What the library encodes itself

    private static let known: [ObjectIdentifier: JSONSchema] = {
        let word = JSONSchema(["enum": ["nan", "-nan", "inf", "-inf"]])
        let number = JSONSchema(anyOf: [JSONSchema(type: "number"), word])
        let date = "([0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]+)?(Z|[+-][0-2][0-9]:?[0-5][0-9])|-?nan|-?inf)"
        let dateText = JSONSchema(type: "string", ["pattern": .string("^\(date)$"), "examples": ["2026-11-21T10:59:00Z"]])
        let base64 = JSONSchema(type: "string", ["pattern": "^[A-Za-z0-9+/]*={0,2}$", "contentEncoding": "base64"])
        let schemas: [(any Any.Type, JSONSchema)] = [
            (Bool.self, JSONSchema(type: "boolean")), (String.self, JSONSchema(type: "string")), (Double.self, number),
            (Float.self, number), (Date.self, JSONSchema(anyOf: [dateText, JSONSchema(type: "number")])), (Data.self, base64),
            // It also reads what its own `encode(to:)` writes.
            (URL.self, JSONSchema(anyOf: [JSONSchema(type: "string"), JSONSchema(type: "object")])),
            (Decimal.self, .decimal), (JSONValue.self, .anything),
        ]
        let integers: [any FixedWidthInteger.Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self, UInt128.self,
        ]
        func limits<Integer: FixedWidthInteger>(_ type: Integer.Type) -> JSONSchema {
            JSONSchema(type: "integer", ["minimum": JSONValue(Integer.min), "maximum": JSONValue(Integer.max)])
        }
        let all = schemas + integers.map { ($0, limits($0)) }
        return Dictionary(all.map { (ObjectIdentifier($0), $1) }) { first, _ in first }
    }()

    // MARK: Cases

    /// The JSON of all cases of an enum that is `CaseIterable` and reads nothing but their raw values; empty for any other type.
    static func cases(of type: any Any.Type) -> [JSONValue] {
        if let type = type as? any OptionalItem.Type { return cases(of: type.wrapped) }
        guard let type = type as? any (CaseIterable & RawRepresentable & Codable).Type else { return [] }
        return rawValues(type)
    }

    private static func rawValues<Item: CaseIterable & RawRepresentable & Codable>(_ type: Item.Type) -> [JSONValue] {
        let limit = 1000  // with more cases none is listed: a partial list would refuse the others
        let all = Item.allCases.prefix(limit + 1).map { try? ItemEncoder.encode($0) }, cases = all.compactMap(\.self)
        guard cases.count == all.count, (1...limit).contains(cases.count), cases.allSatisfy({ $0.item(type) != nil }) else { return [] }
        let others: [JSONValue]
        if cases.allSatisfy({ $0.stringValue != nil }) {
            let texts = cases.compactMap(\.stringValue)
            let spellings = texts.flatMap { [$0.uppercased(), $0.lowercased(), " \($0)", "\($0) ", $0.prefix(1).uppercased() + $0.dropFirst()] }
            others = (["", "x", "\u{1}"] + spellings).map { .string($0) }
        } else if cases.allSatisfy({ $0.intValue != nil }) {
            others = (-1...cases.count).map { JSONValue($0) }
        } else {
            return []
        }
        // The standard library's `init(from:)` throws this for what is no case. A type's own may read more than can be tried.
        let refusal = "Cannot initialize \(Item.self) from invalid "
        var isStandard = false
        for other in others where !cases.contains(other) {
            do {
                _ = try ItemDecoder.decode(type, from: other)
                return []
            } catch DecodingError.dataCorrupted(let context) {
                isStandard = isStandard || context.debugDescription.hasPrefix(refusal)
            } catch {}
        }
        return isStandard ? cases : []
    }

    // MARK: Any other type

    private mutating func found<Item: Decodable>(_ type: Item.Type, _ sample: JSONValue?) -> JSONSchema {
        let record = DecodingRecord()
        // Without one, the JSON of a sample item.
        let sample = sample ?? (record.make(type) as? any Encodable).flatMap { try? ItemEncoder.encode($0) }
        let tried = [sample].compactMap(\.self) + DecodingRecord.samples
        for json in tried { record.run(type, on: json) }
        guard let sample, sample.item(type) != nil else { return .anything }
        let whole = record.whole, members = members(of: type, sample.objectValue ?? [:], record)
        let object = JSONSchema(type: "object", members.isEmpty ? [:] : ["properties": .object(members)])
        let found = JSONSchema(anyOf: choices(for: whole, sample, object: object))
        return tried.allSatisfy { found.allows($0) || $0.item(type) == nil } ? found : .anything
    }

    /// The schemas of what was requested of a part.
    private mutating func choices(
        for part: DecodingRecord.Part, _ sample: JSONValue?, object: JSONSchema = JSONSchema(type: "object")
    ) -> [JSONSchema] {
        part.types.map { schema(of: $0, sample) }
            + ["null", "array", "object"].filter(part.jsonTypes.contains).map { $0 == "object" ? object : JSONSchema(type: $0) }
    }

    /// The schemas of the members that the type requests, except those of which nothing is known.
    private mutating func members<Item: Decodable>(
        of type: Item.Type, _ sample: [String: JSONValue], _ record: DecodingRecord
    ) -> [String: JSONValue] {
        func with(_ name: String, _ value: JSONValue) -> JSONValue { .object(sample.merging([name: value]) { $1 }) }
        for name in record.members.keys.sorted() {
            let cases = record.members[name]?.types.flatMap { Self.cases(of: $0) } ?? []
            for value in DecodingRecord.samples + DecodingRecord.tags + cases { record.run(type, on: with(name, value)) }
        }
        // If one member decides what the others are, changing one at a time does not show what the others may be, so they get no schema.
        // An enum has such a member, and perhaps a type that refuses a text for a member of type `String`.
        let isEnum = JSONValue.object(sample).item(type).map { Mirror(reflecting: $0).displayStyle == .enum } ?? false
        let deciding = record.members.filter { name, member in
            let types = member.types.filter { $0 != JSONValue.self }  // which a decoder for something else is recorded as
            return types.allSatisfy { $0 == String.self } && !types.isEmpty
                && DecodingRecord.samples.contains { $0.stringValue != nil && with(name, $0).item(type) == nil }
        }
        var members: [String: JSONValue] = [:]
        for (name, member) in record.members where member.types.isEmpty || deciding[name] != nil || (deciding.isEmpty && !isEnum) {
            let found = JSONSchema(anyOf: choices(for: member, sample[name]))
            let isRight = DecodingRecord.samples.allSatisfy { found.allows($0) || with(name, $0).item(type) == nil }
            if isRight, !found.isAnything { members[name] = found.json }
        }
        return members
    }
}

// MARK: Types that contain others

protocol OptionalItem { static var wrapped: any Any.Type { get } }

extension Optional: OptionalItem { static var wrapped: any Any.Type { Wrapped.self } }

private protocol DictionaryItem {
    static var value: any Any.Type { get }
    /// What its names may be; nil if it is stored as a list of alternating keys and values.
    static var names: JSONSchema? { get }
}

extension Dictionary: DictionaryItem {
    static var value: any Any.Type { Value.self }

    static var names: JSONSchema? {
        let integer = JSONSchema(["pattern": "^[+-]?[0-9]+$"])
        if Key.self == String.self { return .anything }
        if Key.self == Int.self { return integer }
        guard self is any RawKeyedDictionary.Type else { return Key.self is any CodingKeyRepresentable.Type ? .anything : nil }
        let cases = ItemShape.cases(of: Key.self)
        // Numbers may have a sign or zeros before them.
        let numbers = cases.filter { $0.stringValue == nil }.map { number in
            "\(number)".begins(with: "-") ? "-0*\("\(number)".dropFirst())" : "[+]?0*\(number)"
        }
        if !numbers.isEmpty { return JSONSchema(["pattern": .string("^(\(numbers.joined(separator: "|")))$")]) }
        return cases.isEmpty ? .anything : JSONSchema(["enum": .array(cases)])
    }
}
