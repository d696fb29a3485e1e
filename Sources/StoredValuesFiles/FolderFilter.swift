/// Which of a folder's events one watch wants, and what they mean to it.
struct FolderFilter: Equatable, Sendable {
    /// What the system has to tell.
    private(set) var events: FolderEvents = [.selfDeleted, .selfMoved]
    /// What it is told about names that are not here concerns others.
    private var names: [[UInt8]: Role] = [:]

    /// What a name in the folder is for the watch.
    enum Role {
        /// The watched file.
        case file
        /// A link on the way to it, or the place of a missing folder.
        case way
        /// A folder on the way, which tells more about itself than its parent does.
        case passage
    }

    /// Whether it is only to be known which folder lies here, and whether it goes.
    var isOnlyPassedThrough: Bool { names.values.allSatisfy { $0 == .passage } }

    /// Takes in what happens to `name`.
    mutating func insert(_ name: String, _ role: Role, _ events: FolderEvents) {
        self.events.formUnion(events)
        names.merge([Array(name.utf8): role], uniquingKeysWith: Self.combined)
    }

    mutating func formUnion(_ other: FolderFilter) {
        events.formUnion(other.events)
        names.merge(other.names, uniquingKeysWith: Self.combined)
    }

    /// A name with two roles, as when a folder has two paths, is on the way: then everything is looked at.
    private static func combined(_ role: Role, _ other: Role) -> Role { role == other ? role : .way }

    /// What `event` in the folder means for the watch; nil when nothing.
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
    /// What the owner is to be told, unless the check finds more.
    var event: FileWatch.Event?
    var check = Check.none

    /// What has to be looked at again.
    enum Check: Int, Sendable {
        /// Nothing: only what the file holds changed.
        case none
        /// Whether the path leads where it led. The folders on the way are the same.
        case path
        /// Which folders lie on the way.
        case folders
    }

    /// Adds what happened next: the last event says how things are, and no check is left out.
    mutating func append(_ next: WatchFinding) {
        event = next.event ?? event
        if next.check.rawValue > check.rawValue { check = next.check }
    }
}

extension WatchFinding {
    /// What happened to the file's name in its folder. What came there may be a link, and what went leaves a folder that
    /// can be removed.
    init(fileEvent: FolderEvents) {
        let meanings: [(FolderEvents, FileWatch.Event, Check)] = [
            (.deleted, .removed, .path), (.movedFrom, .movedAway, .path), (.movedTo, .replaced, .path),
            (.created, .beingWritten, .path), (.closedAfterWriting, .replaced, .none),
        ]
        let meaning = meanings.first { !fileEvent.isDisjoint(with: $0.0) }
        self.init(event: meaning?.1 ?? .beingWritten, check: meaning?.2 ?? Check.none)
    }
}
