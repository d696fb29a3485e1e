/// What a wrapper can keep: any type that encodes and decodes itself and is safe to share between threads.
public typealias StorableItem = Codable & Sendable

/// An item whose JSON has changed from one version of the program to another in a way that needs more than repairs.
///
/// ```swift
/// struct Editor: VersionedItem {
///     static let version = 2
///
///     static func migrate(_ json: inout JSONValue, from version: Int) throws {
///         switch version {
///         case 0: json.rename("size", to: "fontSize")
///         default: json["fontSize"] = json["fontSize"]?.intValue.map { JSONValue($0 * 2) }    // from 1
///         }
///     }
///
///     var fontSize = 24
/// }
/// ```
///
/// The version is stored beside the value, and what is stored with a higher one than this program knows is neither read nor
/// changed; see ``StoredValue/set(_:overwritingNewer:)``. It is that of the whole value: an optional and a list of a
/// versioned type have its version, but the version of a type that is only a property of the item is not looked at.
public protocol VersionedItem: Codable, Sendable {
    /// The version of the JSON that the type encodes to now, 0 or more. A negative one ends the program.
    static var version: Int { get }

    /// Changes the JSON of one version into that of the next: from `version` to `version + 1`.
    ///
    /// It is called once for each step, from the version that is stored up to the one before the type's. A value that was
    /// stored without one has version 0. It may be called again with the same JSON, in this process or another: the file
    /// keeps the old JSON and its version until the value is set. When it throws, the last good value is read, else the
    /// default, which is reported in ``StoredValue/repairs``. What does not decode after it is repaired as usual.
    ///
    /// - Parameters:
    ///   - json: The stored value as `version` wrote it, or as a person edited it.
    ///   - version: The version to migrate from.
    static func migrate(_ json: inout JSONValue, from version: Int) throws
}

extension Optional: VersionedItem where Wrapped: VersionedItem {
    /// That of what it holds.
    public static var version: Int { Wrapped.version }

    /// Migrates what is not nil.
    public static func migrate(_ json: inout JSONValue, from version: Int) throws {
        guard json != .null else { return }
        try Wrapped.migrate(&json, from: version)
    }
}

extension Array: VersionedItem where Element: VersionedItem {
    /// That of what it holds.
    public static var version: Int { Element.version }

    /// Migrates each element.
    public static func migrate(_ json: inout JSONValue, from version: Int) throws {
        try json.updateElements { try Element.migrate(&$0, from: version) }
    }
}

import StoredValuesSupport

/// Which version of its JSON an item type knows, and how older ones become that.
struct ItemSchema: Sendable {
    /// 0 for a type that has no versions.
    let version: Int
    private let type: (any VersionedItem.Type)?

    init(of itemType: any Any.Type) {
        type = itemType as? any VersionedItem.Type
        version = type?.version ?? 0
        requireProperUse(version >= 0, "\(itemType).version is \(version); a VersionedItem's version must be 0 or more")
    }

    /// Changes `json`, which was stored with `stored`, step by step into what the type decodes now.
    func migrate(_ json: inout JSONValue, from stored: Int) throws {
        guard let type else { return }
        for step in stored..<version { try type.migrate(&json, from: step) }
    }
}
