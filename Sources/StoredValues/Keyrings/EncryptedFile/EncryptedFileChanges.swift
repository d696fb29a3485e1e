#if EncryptedFile
    import Dispatch
    import StoredValuesFiles
    import StoredValuesSupport

    /// Tells of the changes of one encrypted file, whichever process makes them. All keyrings of this process that have the file
    /// share it, so that a change of ours is told once and by its name, and one of others once, without a name.
    ///
    /// The watch hears a change of ours too, before we are back from the disk with it. What is heard in that time is looked at
    /// afterwards: nobody waits for a disk that somebody else waits for.
    final class EncryptedFileChanges: Sendable {
        private struct State {
            /// The file as it was when listeners were told last; nil when there was none.
            var told: FileIdentity?
            /// Another number for each of these, and for each change of ours that begins.
            var revision = 0
            /// How many changes of ours are under way.
            var changes = 0
            /// Whether the watch has heard something meanwhile.
            var isLookDue = false
        }

        private let file: DurableFile
        private let place: [UInt8]
        private let broadcaster = ChangeBroadcaster()
        private let state = Guarded(State())
        // The thread of the watch belongs to all watches, and must not wait for a disk.
        private let queue = DispatchQueue(label: "StoredValues.EncryptedFileChanges")

        private static let inUse = WeakTable<[UInt8], EncryptedFileChanges>()

        /// The one of `file`, whose real path is `place`.
        static func shared(for file: DurableFile, at place: String) -> EncryptedFileChanges {
            let place = Array(place.utf8)
            return inUse.object(for: place) { EncryptedFileChanges(file, place) }
        }

        private init(_ file: DurableFile, _ place: [UInt8]) {
            self.file = file
            self.place = place
        }

        deinit { Self.inUse.remove(place) }

        var changes: KeyringChanges {
            broadcaster.changes { [self] in
                let watch = FileWatch(file) { [weak self] event in
                    // Half a file would read as damage. Who writes in place, such as a restored copy, closes it in the end.
                    guard event != .beingWritten else { return }
                    self?.lookLater()
                }
                _ = isNews()  // what there is now is none
                return watch
            }
        }

        /// Tells of `change`, which `replace` makes in the file that was `old` before.
        func make(
            _ change: KeyringChange, in old: FileIdentity?, _ replace: () throws(FileError) -> FileIdentity
        ) throws(FileError) {
            state.withLock { state in
                state.changes += 1
                state.revision += 1
            }
            let new: FileIdentity
            do throws(FileError) {
                new = try replace()
            } catch {
                _ = changeEnded(new: nil)
                throw error
            }
            // Another process's change came just before ours, and the watch will find none but ours.
            if changeEnded(new: new) != old { broadcaster.announce(.anySecret) }
            broadcaster.announce(change)
        }

        /// Ends a change of ours, which has made the file `new` or failed. Returns the one that listeners were told of before.
        private func changeEnded(new: FileIdentity?) -> FileIdentity? {
            let (told, isLookDue) = state.withLock { state in
                defer {
                    state.told = new ?? state.told
                    state.changes -= 1
                    state.isLookDue = false
                }
                return (state.told, state.isLookDue)
            }
            if isLookDue { lookLater() }
            return told
        }

        private func lookLater() {
            queue.async { [weak self] in
                if let self, self.isNews() { self.broadcaster.announce(.anySecret) }
            }
        }

        /// Whether the file is another one than listeners were told of. They are told of this one then.
        private func isNews() -> Bool {
            while true {
                let revision = state.withLock { state -> Int? in
                    if state.changes > 0 { state.isLookDue = true }
                    return state.changes > 0 ? nil : state.revision
                }
                guard let revision else { return false }
                let now = try? file.currentIdentity()  // one that cannot be looked at is told as one that went
                let isNews = state.withLock { state -> Bool? in
                    guard state.revision == revision else { return nil }  // it may have been another one since
                    defer { (state.told, state.revision) = (now, revision + 1) }
                    return now != state.told
                }
                if let isNews { return isNews }
            }
        }
    }
#endif
