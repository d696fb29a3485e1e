/// What one watch wants to know of one folder.
package struct FolderInterest: Equatable, Sendable {
    /// What the system has to tell.
    package private(set) var events: FolderEvents = [.selfDeleted, .selfMoved]
    /// What it is told about names that are not here concerns others.
    private var names: [Name] = []

    private struct Name: Equatable {
        var bytes: [UInt8]
        var role: Role
    }

    /// What a name in the folder is for the watch.
    package enum Role {
        /// The watched file.
        case file
        /// A link on the way to it, or the place of a missing folder.
        case way
        /// A folder on the way, which tells more about itself than its parent does.
        case passage
    }

    /// Whether it is only to be known which folder lies here, and whether it goes.
    package var isOnlyPassedThrough: Bool { names.allSatisfy { $0.role == .passage } }

    /// Takes in what happens to `name`.
    package mutating func insert(_ name: String, _ role: Role, _ events: FolderEvents) {
        self.events.formUnion(events)
        insert(Name(bytes: Array(name.utf8), role: role))
    }

    package mutating func formUnion(_ other: FolderInterest) {
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
    package func finding(for event: InotifyEvent) -> WatchFinding? {
        if !event.events.isDisjoint(with: .folderItself) { return WatchFinding(check: .folders) }
        guard let name = names.first(where: { $0.bytes == event.name }) else { return nil }
        switch name.role {
        case .file: return WatchFinding(fileEvent: event.events)
        case .way, .passage: return event.events.isDisjoint(with: .nameChanged) ? nil : WatchFinding(check: .folders)
        }
    }
}
