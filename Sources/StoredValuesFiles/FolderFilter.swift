/// The events of a folder that one watch needs, and what they mean for it.
struct FolderFilter: Equatable, Sendable {
    /// The events to request from the system.
    private(set) var events: FolderEvents = [.selfDeleted, .selfMoved]
    /// Names that are not in here concern other watches.
    private var names: [[UInt8]: Role] = [:]

    /// The role of a name in the folder for the watch.
    enum Role {
        /// The watched file.
        case file
        /// A link on the way to it, or the path of a missing folder.
        case way
        /// A folder on the way, whose own events say more than its parent's.
        case passage
    }

    /// Whether only the identity of this folder matters, and whether it is moved or deleted.
    var isOnlyPassedThrough: Bool { names.values.allSatisfy { $0 == .passage } }

    /// Adds the events of `name`.
    mutating func insert(_ name: String, _ role: Role, _ events: FolderEvents) {
        self.events.formUnion(events)
        names.merge([Array(name.utf8): role], uniquingKeysWith: Self.combined)
    }

    mutating func formUnion(_ other: FolderFilter) {
        events.formUnion(other.events)
        names.merge(other.names, uniquingKeysWith: Self.combined)
    }

    /// A name with two roles, as when a folder has two paths, is treated as on the way: then everything is checked.
    private static func combined(_ role: Role, _ other: Role) -> Role { role == other ? role : .way }

    /// What `event` in the folder means for the watch; nil if nothing.
    func finding(for event: InotifyEvent) -> WatchFinding? {
        if !event.events.isDisjoint(with: .folderItself) { return WatchFinding(check: .folders) }
        return switch names[event.name] {
        case .file: WatchFinding(fileEvent: event.events)
        case .way, .passage: event.events.isDisjoint(with: .nameChanged) ? nil : WatchFinding(check: .folders)
        case nil: nil
        }
    }
}

/// What a batch of the system's events means for one watch.
struct WatchFinding: Equatable, Sendable {
    /// The event to report to the owner, unless the check finds more.
    var event: FileWatch.Event?
    var check = Check.none

    /// What to check again.
    enum Check: Int, Sendable {
        /// Nothing: only the file's content changed.
        case none
        /// Whether the path still leads to the same file. The folders on the way are the same.
        case path
        /// Which folders are on the way.
        case folders
    }

    /// Adds the next finding: the last event describes the state, and no check is dropped.
    mutating func append(_ next: WatchFinding) {
        event = next.event ?? event
        if next.check.rawValue > check.rawValue { check = next.check }
    }
}

extension WatchFinding {
    /// An event of the file's name in its folder. A new entry may be a link, and a removed one leaves a folder that can be
    /// removed.
    init(fileEvent: FolderEvents) {
        let meanings: [(FolderEvents, FileWatch.Event, Check)] = [
            (.deleted, .removed, .path), (.movedFrom, .movedAway, .path), (.movedTo, .replaced, .path),
            (.created, .beingWritten, .path), (.closedAfterWriting, .replaced, .none),
        ]
        let meaning = meanings.first { !fileEvent.isDisjoint(with: $0.0) }
        self.init(event: meaning?.1 ?? .beingWritten, check: meaning?.2 ?? Check.none)
    }
}
