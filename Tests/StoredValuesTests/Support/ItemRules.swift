import Foundation

@testable import StoredValues

/// What must hold for items of many types, whatever JSON they are to be made from.
enum ItemRules {
    /// Throws ``ReaderRules/Broken`` if a rule does not hold for `value`.
    static func check(_ value: JSONValue) throws {
        try checkInteger(value, Int.self)
        try checkInteger(value, UInt8.self)
        try checkInteger(value, Int128.self)
        try check(value, false)
        try check(value, 0)
        try check(value, UInt8(0))
        try check(value, Int128(0))
        try check(value, 0.0)
        try check(value, Float(0))
        try check(value, "")
        try check(value, Date(timeIntervalSinceReferenceDate: 0))
        try check(value, Data())
        try check(value, Decimal(0))
        try check(value, UUID?.none)
        try check(value, URL?.none)
        try check(value, [String: Int]())
        try check(value, [Int: Double?]())
        try check(value, [Direction: String]())
        try check(value, [[Date?]]())
        try check(value, Tree(name: "", weight: 1, children: []))
    }

    /// An integer is exactly the number in the text: a decimal of 38 digits, which is made in another way, is no other.
    private static func checkInteger<Integer: FixedWidthInteger & Codable & Sendable>(_ value: JSONValue, _ type: Integer.Type) throws {
        guard case .number(let number) = value, let decimal = try? ItemDecoder.decode(Decimal.self, from: value) else { return }
        guard (try? ItemDecoder.decode(type, from: value)) == Integer("\(decimal)") else {
            throw ReaderRules.Broken("a number is an exact \(type), or none: \(number)")
        }
    }

    /// A type of every kind of member, that holds itself.
    private struct Tree: Codable, Sendable {
        var name: String
        var weight: Double?
        var children: [Tree]
    }

    private enum Direction: String, Codable {
        case up, down
    }

    /// Reading ends with an item or an error; what was read can be stored, and then reads back as what it was.
    private static func check<Item: StorableItem>(_ value: JSONValue, _ fallback: Item) throws {
        let item: Item
        do {
            item = try ItemDecoder.decode(Item.self, from: value)
        } catch {
            _ = ItemRepair.decode(value, default: fallback)
            return
        }
        guard let text = try? ItemEncoder.text(item) else { return }  // it is too deep to be stored
        let again = try ItemDecoder.decode(Item.self, from: JSONValue(parsing: text))
        guard try ItemEncoder.text(again) == text else {
            throw ReaderRules.Broken("a stored \(Item.self) reads back as it was: \(String(decoding: text, as: UTF8.self))")
        }
    }
}
