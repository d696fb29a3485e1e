#if EncryptedFile
    import Dispatch
    import StoredValuesFiles
    import StoredValuesSupport

    /// Reports changes of one encrypted file, whichever process makes them. All keyrings of this process with that file share
    /// it, so that a change of ours is reported once with its identifier, and another process's once without.
    ///
    /// The watch also sees a change of ours, before the write has returned. Events during a write are checked afterwards, so
    /// that nothing waits for a disk because of another thread's write.
    final class EncryptedFileChanges: Sendable {
        private struct State {
            /// The file as it was last announced; nil if there was none.
            var announced: FileIdentity?
            /// Incremented with each announcement, and when a change of ours begins.
            var revision = 0
            /// How many changes of ours are under way.
            var changes = 0
            /// Whether there was an event meanwhile.
            var isCheckDue = false
        }

        private let file: DurableFile
        private let place: [UInt8]
        private let broadcaster = ChangeBroadcaster()
        private let state = Guarded(State())
        // The watch thread is shared by all watches, and must not wait for a disk.
        private let queue = DispatchQueue(label: "StoredValues.EncryptedFileChanges")

        private static let inUse = WeakTable<[UInt8], EncryptedFileChanges>()

        /// The shared instance for `file`, whose real path is `place`.
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
                    // A partial file would look damaged. A program that writes in place, such as a restore, closes the file in
                    // the end.
                    guard event != .beingWritten else { return }
                    self?.checkLater()
                }
                _ = isNews()  // the current state needs no report
                return watch
            }
        }

        /// Makes `change` with `replace`, in the file whose state was `old`, and reports it.
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
            // Another process's change came just before ours, and the watch will only find ours.
            if changeEnded(new: new) != old { broadcaster.announce(.anySecret) }
            broadcaster.announce(change)
        }

        /// Ends a change of ours, which made the file `new` or failed. Returns the state that was announced before.
        private func changeEnded(new: FileIdentity?) -> FileIdentity? {
            let (announced, isCheckDue) = state.withLock { state in
                defer {
                    state.announced = new ?? state.announced
                    state.changes -= 1
                    state.isCheckDue = false
                }
                return (state.announced, state.isCheckDue)
            }
            if isCheckDue { checkLater() }
            return announced
        }

        private func checkLater() {
            queue.async { [weak self] in
                if let self, self.isNews() { self.broadcaster.announce(.anySecret) }
            }
        }

        /// Whether the file differs from the last announced state; marks it as announced.
        private func isNews() -> Bool {
            while true {
                let revision = state.withLock { state -> Int? in
                    if state.changes > 0 { state.isCheckDue = true }
                    return state.changes > 0 ? nil : state.revision
                }
                guard let revision else { return false }
                let now = try? file.currentIdentity()  // an unreadable one counts as deleted
                let isNews = state.withLock { state -> Bool? in
                    guard state.revision == revision else { return nil }  // it may have changed since
                    defer { (state.announced, state.revision) = (now, revision + 1) }
                    return now != state.announced
                }
                if let isNews { return isNews }
            }
        }
    }
#endif
