/// Which of a folder's events one watch wants, and what they mean to it.
struct FolderFilter: Equatable, Sendable {
    /// What the system has to tell.
    private(set) var events: FolderEvents = [.selfDeleted, .selfMoved]
    /// What it is told about names that are not here concerns others.
    private var names: [Name] = []

    private struct Name: Equatable {
        var bytes: [UInt8]
        var role: Role
    }

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
    var isOnlyPassedThrough: Bool { names.allSatisfy { $0.role == .passage } }

    /// Takes in what happens to `name`.
    mutating func insert(_ name: String, _ role: Role, _ events: FolderEvents) {
        self.events.formUnion(events)
        insert(Name(bytes: Array(name.utf8), role: role))
    }

    mutating func formUnion(_ other: FolderFilter) {
        events.formUnion(other.events)
        for name in other.names { insert(name) }
    }

    /// A name with two roles, as when a folder has two paths, is on the way: then everything is looked at.
    private mutating func insert(_ name: Name) {
        if let index = names.firstIndex(where: { $0.bytes == name.bytes }) {
            if name.role != names[index].role { names[index].role = .way }
        } else {
            names.append(name)
        }
    }

    /// What `event` in the folder means for the watch; nil when nothing.
    func finding(for event: InotifyEvent) -> WatchFinding? {
        if !event.events.isDisjoint(with: .folderItself) { return WatchFinding(check: .folders) }
        guard let name = names.first(where: { $0.bytes == event.name }) else { return nil }
        switch name.role {
        case .file: return WatchFinding(fileEvent: event.events)
        case .way, .passage: return event.events.isDisjoint(with: .nameChanged) ? nil : WatchFinding(check: .folders)
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

    init(event: FileWatch.Event? = nil, check: Check) {
        self.event = event
        self.check = check
    }

    /// What happened to the file's name in its folder. What came there may be a link, and what went leaves a folder that
    /// can be removed.
    init(fileEvent: FolderEvents) {
        if !fileEvent.isDisjoint(with: .deleted) {
            self.init(event: .removed, check: .path)
        } else if !fileEvent.isDisjoint(with: .movedFrom) {
            self.init(event: .movedAway, check: .path)
        } else if !fileEvent.isDisjoint(with: .movedTo) {
            self.init(event: .replaced, check: .path)
        } else if !fileEvent.isDisjoint(with: .created) {
            self.init(event: .beingWritten, check: .path)
        } else if !fileEvent.isDisjoint(with: .closedAfterWriting) {
            self.init(event: .replaced, check: .none)
        } else {
            self.init(event: .beingWritten, check: .none)
        }
    }

    /// Adds what happened next: the last event says how things are, and no check is left out.
    mutating func append(_ next: WatchFinding) {
        event = next.event ?? event
        if next.check.rawValue > check.rawValue { check = next.check }
    }
}
