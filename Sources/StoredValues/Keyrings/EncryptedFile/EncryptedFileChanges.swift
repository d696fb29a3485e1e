#if EncryptedFile
    import Dispatch
    import StoredValuesFiles
    import StoredValuesSupport

    /// Reports changes of one encrypted file. All keyrings of this process with that file share it, so that a change of ours is
    /// reported once with its identifier, and another process's once without. The watch also sees a change of ours; events during a
    /// write are checked afterwards, so that nothing waits for a disk because of another thread's write.
    final class EncryptedFileChanges: Sendable {
        private struct State {
            /// The file as it was last announced; nil if there was none.
            var announced: FileIdentity?
            var changesOfOurs = 0
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

        private init(_ file: DurableFile, _ place: [UInt8]) { (self.file, self.place) = (file, place) }

        deinit { Self.inUse.remove(place) }

        var changes: KeyringChanges {
            broadcaster.changes { [self] in
                // A partial file would look damaged: one that is being written is looked at when its writer pauses.
                let schedule = RefreshSchedule(on: queue) { [weak self] in self?.check() }
                let watch = FileWatch(file) { schedule.note($0) }
                _ = isNews()  // the current state needs no report
                return watch
            }
        }

        /// Makes `change` with `replace`, in the file whose state was `old`, and reports it.
        func make(
            _ change: KeyringChange, in old: FileIdentity?, _ replace: () throws(FileError) -> FileIdentity
        ) throws(FileError) {
            state.withLock { $0.changesOfOurs += 1 }
            let result = Result(catching: replace)
            let (announced, isCheckDue) = state.withLock { state in
                defer {
                    if case .success(let new) = result { state.announced = new }
                    state.changesOfOurs -= 1
                    state.isCheckDue = false
                }
                return (state.announced, state.isCheckDue)
            }
            if isCheckDue { queue.async { [weak self] in self?.check() } }
            _ = try result.get()
            // Another process's change came just before ours, and the watch will only find ours.
            if announced != old { broadcaster.announce(.anySecret) }
            broadcaster.announce(change)
        }

        private func check() {
            if isNews() { broadcaster.announce(.anySecret) }
        }

        /// Whether the file differs from the last announced state; marks it as announced. It is looked at under the lock, so that no
        /// change of ours comes in between.
        ///
        /// A known limit: three states of one size within one tick of the clock of file times, of up to 10 ms in kernels before 6.13, may look
        /// like one. A ``FilePin`` of the announced one would tell, but then each process keeps each old file for a moment, and frees it: the
        /// tests with 20 processes took ten times as long.
        private func isNews() -> Bool {
            state.withLock { state in
                guard state.changesOfOurs == 0 else {
                    state.isCheckDue = true
                    return false
                }
                let now = try? file.currentIdentity()  // an unreadable one counts as deleted
                return exchange(&state.announced, with: now) != now
            }
        }
    }
#endif
