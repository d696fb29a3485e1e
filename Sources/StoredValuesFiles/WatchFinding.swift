/// What a batch of the system's events means for one watch.
package struct WatchFinding: Equatable, Sendable {
    /// What the owner is to be told, unless the check finds more.
    package var event: FileWatch.Event?
    package var check = Check.none

    /// What has to be looked at again.
    package enum Check: Int, Sendable {
        /// Nothing: only what the file holds changed.
        case none
        /// Whether the path leads where it led. The folders on the way are the same.
        case path
        /// Which folders lie on the way.
        case folders
    }

    package init(event: FileWatch.Event? = nil, check: Check) {
        self.event = event
        self.check = check
    }

    /// What happened to the file's name in its folder. What came there may be a link, and what went leaves a folder that
    /// can be removed.
    package init(fileEvent: FolderEvents) {
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
    package mutating func append(_ next: WatchFinding) {
        event = next.event ?? event
        if next.check.rawValue > check.rawValue { check = next.check }
    }
}
