import StoredValuesSupport

/// What a wrapper can store: any type that is `Codable` and `Sendable`.
public typealias StorableItem = Codable & Sendable

/// An item whose JSON has changed between versions of the program in a way that needs more than repairs.
///
/// ```swift
/// struct Editor: VersionedItem {
///     static let version = 2
///
///     static func migrate(_ json: inout JSONValue, from version: Int) throws {
///         switch version {
///         case 0: json.rename("size", to: "fontSize")
///         // From 1
///         default: json["fontSize"] = json["fontSize"]?.intValue.map { JSONValue($0 * 2) }
///         }
///     }
///
///     var fontSize = 24
/// }
/// ```
///
/// The version is stored beside the value. A value with a higher version than this program knows is neither read nor changed;
/// see ``StoredValue/set(_:overwritingNewer:)``. The version belongs to the whole value: an optional and an array of a
/// versioned type have its version, but the version of a type that is only a property of the item is ignored. A secret has no version
/// beside it, and is never migrated.
public protocol VersionedItem: Codable, Sendable {
    /// The version of the JSON that the type encodes to now, 0 or more. Traps if it is negative.
    static var version: Int { get }

    /// Migrates the JSON by one version: from `version` to `version + 1`.
    ///
    /// Called once for each step, from the stored version up to the one before the type's. A value stored without a version has
    /// version 0. It may be called again with the same JSON, in this process or another: the file keeps the old JSON and its
    /// version until the value is set. If it throws, the last good value is read, else the default, and that is reported in
    /// ``StoredValue/repairs``. A result that does not decode is repaired as usual.
    ///
    /// - Parameters:
    ///   - json: The stored value as `version` wrote it, or as a user edited it.
    ///   - version: The version to migrate from.
    static func migrate(_ json: inout JSONValue, from version: Int) throws
}

extension Optional: VersionedItem where Wrapped: VersionedItem {
    /// The version of the wrapped type.
    public static var version: Int { Wrapped.version }

    /// Migrates a value that is not nil.
    public static func migrate(_ json: inout JSONValue, from version: Int) throws {
        guard json != .null else { return }
        try Wrapped.migrate(&json, from: version)
    }
}

extension Array: VersionedItem where Element: VersionedItem {
    /// The version of the element type.
    public static var version: Int { Element.version }

    /// Migrates each element.
    public static func migrate(_ json: inout JSONValue, from version: Int) throws {
        try json.updateElements { try Element.migrate(&$0, from: version) }
    }
}

/// The version of an item type's JSON, and the migration from older ones.
struct ItemSchema: Sendable {
    /// 0 for a type without versions.
    let version: Int
    private let type: (any VersionedItem.Type)?

    init(of itemType: any Any.Type) {
        type = itemType as? any VersionedItem.Type
        version = type?.version ?? 0
        requireProperUse(version >= 0, "\(itemType).version is \(version); a VersionedItem's version must be 0 or more")
    }

    /// Migrates `json` step by step from version `stored` to the current one. Throws ``ItemCoding/NewerVersion`` if `stored` is newer.
    func migrated(_ json: @autoclosure () throws -> JSONValue, from stored: Int) throws -> JSONValue {
        guard stored <= version else { throw ItemCoding.NewerVersion(stored: stored, supported: version) }
        var json = try json()
        if let type { for step in stored..<version { try type.migrate(&json, from: step) } }
        return json
    }
}

/// Items to JSON and back, as wrappers store them, for the package's other modules.
package enum ItemCoding {
    /// The item's JSON and the version of its type.
    package static func encode<Item: StorableItem>(_ item: Item) throws -> (json: JSONValue, version: Int) {
        (try ItemEncoder.encode(item), ItemSchema(of: Item.self).version)
    }

    /// The item, migrated if an older version of its type wrote it. Repairs nothing: throws if the JSON does not decode.
    package static func decode<Item: StorableItem>(_ type: Item.Type, from json: JSONValue, version: Int) throws -> Item {
        try ItemDecoder.decode(type, from: ItemSchema(of: type).migrated(json, from: version))
    }

    /// A copy of the object, encoded and decoded, for a closure that changes it in place: memory shares the original. It is of the object's
    /// own class, unless `Item` is an optional, and then of the class that this names.
    package static func copy<Item: StorableItem>(of object: Item) throws -> Item {
        let itsClass: any StorableItem.Type = type(of: object)
        return try ItemDecoder.decode(itsClass, from: ItemEncoder.text(object)) as! Item  // sound: what is decoded is an `itsClass`, as the object is
    }

    /// Why an item could not be encoded. Swift's own description of the error would show the item.
    package static func reason(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else { return DecodingTrace.reason(error) }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(context.debugDescription) (at \(path))"
    }

    /// A newer version of the program wrote the value.
    package struct NewerVersion: Error, CustomStringConvertible {
        package let stored: Int
        package let supported: Int

        package var description: String {
            "a newer version of the program wrote it (its version is \(stored), this program knows \(supported == 0 ? "none" : "up to \(supported)"))"
        }
    }
}

/// Encodes and decodes the items of a collection, for the module of stores.
package struct ItemCoder<Item: StorableItem>: Sendable {
    private let schema = ItemSchema(of: Item.self)
    /// Has the members that replace those that are missing or do not decode.
    package let template: Item?

    package init(template: Item?) { self.template = template }

    /// The version of the text that ``text(_:)`` makes.
    package var version: Int { schema.version }

    /// The JSON text of `value`, an item or its id, on one line.
    package static func text(_ value: some Encodable) throws -> [UInt8] { try ItemEncoder.text(value, onOneLine: true) }

    /// The item, migrated if an older version of its type wrote it, and repaired as far as that is possible. Throws
    /// ``ItemCoding/NewerVersion``, the error of the migration, or the reason why it cannot be decoded.
    package func item(from text: [UInt8], version: Int) throws -> (item: Item, repairs: [Repair]) {
        if version == schema.version, let item = try? ItemDecoder.decode(Item.self, from: text) { return (item, []) }
        let (item, repairs) = ItemRepair.decode(try schema.migrated(JSONValue(parsing: text), from: version), default: template)
        guard let item else { throw Explanation(repairs.first?.reason ?? "") }
        return (item, repairs)
    }
}
