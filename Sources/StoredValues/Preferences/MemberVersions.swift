/// The versions of the item types that wrote the members of a file: its reserved member `"$versions": {"editor": 3}`.
///
/// Entries under other keys, or that are not a version, stay as they are. Only names and values with an unpaired surrogate,
/// which are not valid Unicode, are dropped when the next version is noted.
struct MemberVersions: Sendable {
    /// The member's name; keys never begin with a `$`.
    static let name = "$versions"

    private var entries: [PreferencesKey: JSONValue] = [:]

    init() {}

    /// The versions that `text` lists; none if it is not an object (a user may have edited it).
    init(parsing text: [UInt8]) {
        // Not as a `JSONValue`: in its dictionary two keys that only look alike would share a version.
        guard let document = try? PreferencesDocument(parsing: text, isWholeFile: false) else { return }
        for key in document.keys { entries[PreferencesKey(key)] = document[key].flatMap { try? JSONValue(parsing: $0) } }
    }

    /// The version of `key`, 0 if none is noted. A number that does not fit is the largest `Int`.
    subscript(key: PreferencesKey) -> Int {
        guard let entry = entries[key] else { return 0 }
        if let version = entry.intValue { return max(0, version) }
        guard case .number(let number) = entry, let value = Double(number.text), value >= 0x1p63 else { return 0 }
        return .max
    }

    /// Notes a version; 0 is noted by removing the entry. Returns whether that changes anything.
    mutating func note(_ version: Int, of key: PreferencesKey) -> Bool {
        guard version != self[key] else { return false }
        entries[key] = version == 0 ? nil : JSONValue(version)
        return true
    }

    /// Forgets `key`. Returns whether that changes anything.
    mutating func forget(_ key: PreferencesKey) -> Bool { !entries.isEmpty && entries.removeValue(forKey: key) != nil }

    /// The text of the member, or nil if it is not needed.
    var text: [UInt8]? {
        guard !entries.isEmpty else { return nil }
        let members = Array(entries)
        var writer = JSONWriter()
        writer.appendMembers(members.map(\.key.text), 1) { $0.append(members[$1].value, level: 2) }
        return writer.text
    }
}
