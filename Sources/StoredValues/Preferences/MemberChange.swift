/// The content stored under a key: JSON text, and the version of the item type that wrote it.
struct StoredJSON: Hashable, Sendable {
    let json: [UInt8]
    /// 0 if the file names none.
    var version = 0

    /// Whether both have the same meaning, however formatted. May parse both.
    static func haveSameMeaning(_ left: StoredJSON?, _ right: StoredJSON?) -> Bool {
        guard left != right else { return true }
        guard let left, let right, left.version == right.version else { return false }
        // As bytes: Swift considers strings equal that only look alike. What cannot be parsed is compared as text.
        guard let left = try? JSONValue(parsing: left.json), let right = try? JSONValue(parsing: right.json) else { return false }
        return left.text() == right.text()
    }
}

/// The content stored under a key, in the form that the readers of this process share.
///
/// It is not generic, because each look at a generic type's metadata would take longer than the rest of a change's step.
enum StoredContent: Sendable {
    /// Nothing is stored; each reader has its own default.
    case absent
    /// Not decoded yet.
    case text(StoredJSON)
    /// A `Box` of an item, and the text it was encoded to or decoded from.
    case item(any AnyObject & Sendable, text: StoredJSON)
    /// Migrated JSON that does not decode as the item; each reader repairs it.
    case undecodable(StoredJSON, JSONValue)
    /// A content that is not decoded, and why; each reader uses another value.
    case unreadable(StoredJSON, reason: String)

    init(_ text: StoredJSON?) { self = text.map { .text($0) } ?? .absent }

    /// What is stored, or nil.
    var text: StoredJSON? {
        switch self {
        case .absent: nil
        case .text(let text), .item(_, let text), .undecodable(let text, _), .unreadable(let text, _): text
        }
    }
}

/// A change of one member: its new content, in the box that its readers share, and the condition under which it is made. A class,
/// because a change is passed on many times, and copying its parts would take most of that time.
final class MemberChange: Box<StoredContent>, @unchecked Sendable {
    /// The condition under which the change is made, now and whenever it is applied over what others wrote.
    enum Condition: Sendable {
        /// The stored value is not newer than this version of the item type.
        case notNewer(than: Int)
        case always
        /// This is stored, or nothing if it is nil.
        case ifStill(StoredJSON?)
    }

    let condition: Condition
    /// The live value that it was made through; saves looking it up.
    weak let member: (any LiveMember)?
    /// Whether removing a value has uncovered this one. The removed value must not be used as the last good one later.
    let isUncovered: Bool

    init(_ content: StoredContent, if condition: Condition, by member: (any LiveMember)? = nil, isUncovered: Bool = false) {
        (self.condition, self.member, self.isUncovered) = (condition, member, isUncovered)
        super.init(content)
    }

    required convenience init(_ content: StoredContent) { self.init(content, if: .always) }

    convenience init(_ stored: StoredJSON?, if condition: Condition = .always, isUncovered: Bool = false) {
        self.init(StoredContent(stored), if: condition, isUncovered: isUncovered)
    }

    /// What is stored by the change; nil to remove the member.
    var stored: StoredJSON? { value.text }

    /// Whether it depends on what exactly is stored.
    var isConditional: Bool { if case .ifStill = condition { true } else { false } }

    enum Verdict {
        case make
        /// It is already made, or no longer wanted.
        case skip
        /// A newer version of the program wrote the value: this one, while the change is of a program that knows only `known`.
        case refuse(stored: Int, known: Int)
    }

    /// What to do with the change if this is stored.
    func verdict(where stored: StoredJSON?) -> Verdict {
        switch condition {
        case .notNewer(let known):
            if let stored, stored.version > known { return .refuse(stored: stored.version, known: known) }
        case .ifStill(let expected):
            if stored != expected { return .skip }
        case .always: break
        }
        return stored == self.stored ? .skip : .make
    }

    /// The change that takes the place of `earlier` in the same batch. Both are compared with what was stored before the batch.
    func over(_ earlier: MemberChange?) -> MemberChange {
        switch (earlier?.condition, condition) {
        case (.always, _): MemberChange(value, if: .always, by: member)
        case (let earlier?, .ifStill): MemberChange(value, if: earlier, by: member)  // the batch itself fulfilled the condition
        default: self
        }
    }

    /// The change while it waits to be written, in place of `earlier`, which was waiting.
    func pending(after earlier: MemberChange?) -> MemberChange {
        // The file still holds the value that the earlier change was allowed to overwrite.
        if case .always = earlier?.condition { MemberChange(stored) } else { MemberChange(stored, if: condition) }
    }
}

/// The members that a change sets or removes; the last of a key counts.
typealias MemberChanges = [PreferencesKey: MemberChange]

extension MemberChanges {
    /// Sets the member to `stored`, or removes it if that is nil.
    mutating func set(_ key: String, to stored: StoredJSON?, if condition: MemberChange.Condition) {
        self[PreferencesKey(key)] = MemberChange(stored, if: condition)
    }
}
