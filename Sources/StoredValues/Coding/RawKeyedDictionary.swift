/// A dictionary whose keys are enums (or other types) with a raw string or integer. It is an object in JSON.
///
/// Without this, `Dictionary` encodes as a list of alternating keys and values, unless its key is `String`, `Int` or
/// `CodingKeyRepresentable` (SE-0320).
protocol RawKeyedDictionary {
    var valuesByName: [(String, any Encodable)] { get }
    init(members: DecodingNode) throws
}

extension Dictionary: RawKeyedDictionary
where Key: RawRepresentable, Key.RawValue: MemberName, Value: Codable {
    var valuesByName: [(String, any Encodable)] {
        map { ($0.key.rawValue.description, $0.value) }
    }

    init(members node: DecodingNode) throws {
        self.init()
        for (name, value) in try node.members() {
            let member = node.node(value, JSONKey.member(name))
            guard let rawValue = Key.RawValue(name), let key = Key(rawValue: rawValue) else {
                throw member.corrupted("\"\(name)\" is not a valid \(Key.self)")
            }
            self[key] = try member.decode(Value.self)
        }
    }
}

/// A raw value that can be a member's name, by its description.
protocol MemberName: LosslessStringConvertible {}

extension String: MemberName {}
extension Int: MemberName {}
extension Int8: MemberName {}
extension Int16: MemberName {}
extension Int32: MemberName {}
extension Int64: MemberName {}
extension UInt: MemberName {}
extension UInt8: MemberName {}
extension UInt16: MemberName {}
extension UInt32: MemberName {}
extension UInt64: MemberName {}
