import Dispatch
import Logging
import StoredValuesFiles
import StoredValuesSupport

/// One preferences file as this process sees it: what is on the disk, and over it what could not be written yet.
///
/// Values change in a ``PreferencesTurn``, where the order of all locks stands, and by what others write (``refresh()``).
final class PreferencesStore: Sendable {
    /// How long after a change the background fsync begins, so that a burst of changes costs one.
    let syncDelay: DispatchTimeInterval
    /// Where the values lie, for the user.
    let path: String
    /// The file, or why there is none; nil where values are to lie in memory only.
    let file: Result<DurableFile?, PreferencesError>
    /// The file's last durable state.
    let generation: DurableGeneration?
    /// One change at a time in this process.
    let turns = TurnLock()
    /// For the store itself and its turns. What others need is asked of the store.
    let state: Guarded<PreferencesState>
    /// How long somebody else who writes the file may pause.
    let patience: Duration
    /// Where what could not be written, or not even read, is tried again.
    let retries: RetryThread?
    /// The watches over the file and its layers.
    let watches = Guarded<[FileWatch]>([])
    let queues: StoreQueues
    private let opening = Guarded(false)
    private let onEnd: @Sendable () -> Void
    private let logger = Logger(label: "StoredValues")

    /// The store of `file`, which is not opened yet.
    ///
    /// - Parameters:
    ///   - path: Where the file really lies.
    ///   - onEnd: Runs when the store goes.
    init(
        _ file: Result<DurableFile?, PreferencesError>, path: String, syncDelay: DispatchTimeInterval = .milliseconds(50),
        sizeLimit: Int = DurableFile.sizeLimit, retries: RetryThread? = RetryThread(),
        patience: Duration = RefreshSchedule.patience, queues: StoreQueues = .next(), onEnd: @escaping @Sendable () -> Void = {}
    ) {
        (self.file, self.path, self.syncDelay, self.patience, self.retries) = (file, path, syncDelay, patience, retries)
        (self.queues, self.onEnd) = (queues, onEnd)
        generation = (try? file.get())?.map(DurableGeneration.init)
        state = Guarded(PreferencesState(path: path, sizeLimit: sizeLimit))
    }

    deinit { onEnd() }

    // MARK: Opening

    /// Reads the file and begins to watch it, unless that was done. Trouble is logged, and thrown by ``flush()``.
    ///
    /// Whoever needs the same file meanwhile waits. To be called with no lock held: a log handler may use stored values.
    func open() {
        opening.withLock { isOpen in
            guard !isOpen else { return }
            isOpen = true
            readFirst()
            if case .success(let file?) = file { watch(file) { $0.refresh() } }
        }
        log(
            state.withLock { state in
                state.log.letGo()
                return state.log.take()
            })
    }

    private func readFirst() {
        guard case .success(let file?) = file else { return }
        var later = AfterUnlocking()  // stays empty, for nobody listens yet
        do {
            _ = adopt(try PreferencesReading(known: nil, file.read), inUse: recover, &later)
        } catch {
            noteUnreadable(error)
        }
    }

    /// Takes the last durable values in place of a broken file's, if there are any, and says what is in use then.
    private func recover() -> String {
        do {
            guard let bytes = try generation?.read() else { return "Defaults are in use." }
            let document = try PreferencesDocument(parsing: bytes)
            state.withLock { state in
                _ = state.members.adopt(document)
                state.disk.wasRecovered()
            }
            return "The last values that were brought to the disk are in use."
        } catch {
            return "Defaults are in use, for the last values that were brought to the disk cannot be read either: \(error)."
        }
    }

    // MARK: Reading

    /// The member that keeps `key` in memory: the one that exists, or a new one made by `make` from what is stored and what the one
    /// before has left. It must ``forget(_:_:leaving:)`` the key when it goes.
    ///
    /// A key that is declared with another item type traps.
    func member<Item, Member: LiveMember>(_ key: String, _ itemType: Item.Type, make: (StoredJSON?, (any Sendable)?) -> Member) -> Member {
        let key = PreferencesKey(key)
        // What was left is let go out here, where no lock is held: it may be of another type.
        let (itemTypeFound, found, legacy) = state.withLock { state -> (any Any.Type, any LiveMember, (any Sendable)?) in
            if let (itemType, member) = state.audience.declaration(of: key) { return (itemType, member, nil) }
            let legacy = state.audience.takeLegacy(of: key)
            let member = make(state.members.stored(key), legacy)
            state.audience.declare(key, as: itemType, by: member)
            return (itemType, member, legacy)
        }
        withExtendedLifetime(legacy) {}
        guard let member = found as? Member else {
            programmerError(
                "The key \"\(key.text)\" of \"\(path)\" is declared with two types: \(distinctNames(itemTypeFound, itemType)). Give one of them another key.")
        }
        return member
    }

    /// Forgets that `member`, which goes, keeps `key` in memory. What it leaves is for the next one.
    func forget(_ key: String, _ member: some LiveMember, leaving legacy: (any Sendable)?) {
        let identifier = ObjectIdentifier(member)
        let old = state.withLock { $0.audience.forget(PreferencesKey(key), by: identifier, leaving: legacy) }
        withExtendedLifetime(old) {}  // it goes when the lock is free
    }

    /// The names of the stored members, sorted, without those that this library keeps for itself.
    var keys: [String] { document.keys.filter { !$0.isReservedKey } }

    /// The file with what is not written yet laid over it, as the calling thread sees it.
    var document: PreferencesDocument { wholeView.document }

    /// All values at this moment, as the calling thread sees them.
    var snapshot: PreferencesSnapshot { wholeView.snapshot }

    /// What is stored under `key` in the file itself, or nil, as the calling thread sees it.
    func own(_ key: String) -> StoredJSON? {
        MembersView.mayExist ? view.own(key) : state.withLock { $0.members.own(PreferencesKey(key)) }
    }

    /// What the calling thread sees: what is stored, with the changes of a batch that it is in, or what was stored when its
    /// consistent reading began.
    var view: MembersView {
        let position = turns.position
        return state.withLock { $0.view(at: position) }
    }

    /// The same for those who look at all of it.
    private var wholeView: MembersView {
        state.withLock { $0.members.layOut() }
        return view
    }

    /// What the calling thread reads of `key` where it has a view of its own; nil where it reads what everybody does.
    func ownContent(of key: String) -> MemberChange? {
        guard MembersView.mayExist else { return nil }
        let position = turns.position
        return state.withLock { $0.ownContent(of: key, at: position) }
    }

    /// Runs `body`, in which the calling thread reads everything as it is now.
    func withConsistentValues<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let position = turns.position
        guard state.withLock({ $0.beginReading(at: position) }) else { return try body() }
        defer { _ = state.withLock { $0.endReading(at: position) } }
        return try body()
    }

    /// Where that comes from.
    func source(_ key: String) -> ValueSource { view.source(of: key) }

    /// Throws why one of `changes` would be refused now, after those of the batch that they are made in.
    func check(_ changes: MemberChanges) throws(PreferencesError) {
        let refusal = state.withLock { state in
            state.members.permitted((state.batched ?? [:]).merging(changes.byKey) { $1.over($0) }).refusals.first
        }
        if let refusal { throw refusal }
    }

    /// Whether the file has room for `changes`.
    func hasRoom(for changes: MemberChanges) -> Bool {
        state.withLock { $0.members.hasRoom(for: ($0.batched ?? [:]).merging(changes.byKey) { $1 }) }
    }

    /// A hint after each change, whoever made it; hints that nobody has taken yet become one.
    var changes: AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { $0.audience.addListener { later in later.notify { continuation.yield() } } }
            // Held, so that the file is watched as long as somebody listens.
            continuation.onTermination = { _ in self.stopTelling(number) }
        }
    }

    /// Has `listener` called with the state locked: now, and after each change of one of `keys`, whoever makes it. Returns the number to
    /// ``stopTelling(_:)`` by.
    func tell(of keys: Set<PreferencesKey>, _ listener: @escaping Audience.Listener) -> Int {
        var later = AfterUnlocking()
        let number = state.withLock { state in
            listener(&later)
            return state.audience.addListener(to: keys, listener)
        }
        later.run()
        return number
    }

    func stopTelling(_ number: Int) { _ = state.withLock { $0.audience.removeListener(number) } }

    // MARK: Changing

    /// Makes the changes that `body` asks for: the only way in which values change in this process.
    ///
    /// When this returns, the file is replaced and every reader in this process sees the change. If the file cannot be
    /// written, the change stays in memory, is logged, is tried again by itself and with the next one, and is thrown by ``flush()``.
    /// `body` runs once, with the file's lock held and the file read again if somebody else changed it. When it throws, nothing
    /// is changed.
    ///
    /// - Parameter mayNest: Whether this may be made inside any other change; see ``rearrange(_:_:)``.
    func change<Result, Failure>(
        _ call: String, of key: String? = nil, mayNest: Bool = false, _ body: (inout MemberChanges) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var turn = PreferencesTurn(.change(call, key: key), of: self, mayNest: mayNest)
        do throws(Failure) {
            let result = try body(&turn.changes)
            turn.commit()
            return result
        } catch {
            turn.cancel()
            throw error
        }
    }

    /// Makes changes of the library's own that leave what users read as it is; `changes` tells which, for what is stored. They may be
    /// made inside a user's change, which writes them, and stay where that is undone. Consistent readings see them too.
    func rearrange(_ call: String, _ changes: (MembersView) -> MemberChanges) {
        func published() -> MembersView { state.withLock { MembersView(members: $0.members) } }
        // Without the file's lock first: reading a default must not need a folder that can be written to.
        if !changes(published()).byKey.isEmpty {
            change(call, mayNest: true) { $0 = changes(published()) }
        }
        if MembersView.mayExist { state.withLock { $0.changeReadings(changes) } }
    }

    /// Runs `body`, and makes all changes that this thread makes in it as one, with one replacement of the file; none when it throws.
    func batch<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let turn = PreferencesTurn(.batch, of: self)
        do throws(Failure) {
            let result = try body()
            turn.commit()
            return result
        } catch {
            turn.cancel()
            throw error
        }
    }

    /// Writes what is unsaved, if anything is. Returns why it could not be written.
    func save() -> PreferencesError? {
        PreferencesTurn(.change("saving", key: nil), of: self).commit()
    }

    /// Notes a change that cannot be made at all: it is logged, and the next ``flush()`` throws it.
    func refuse(_ refusal: PreferencesError) {
        state.withLock { $0.log.refuse(refusal) }
        logNotes()
    }

    /// Traps, for the thread is inside a change already.
    func trapNested(_ activity: TurnLock.Activity, inside outer: TurnLock.Activity) -> Never {
        let advice = activity == .batch ? "Put the batch around it." : "Make the second change after the first has returned."
        programmerError("\(activity) was called inside the closure of \(outer), and both change \"\(path)\". \(advice)")
    }

    // MARK: Logging

    /// Notes a trouble, to be logged at the end of the change that is under way; the same one again only after a change was
    /// written.
    func note(_ trouble: String) {
        state.withLock { $0.log.note(trouble) }
    }

    /// Logs a trouble.
    func report(_ trouble: String) {
        note(trouble)
        logNotes()
    }

    /// Logs what the value of `key` had to be repaired by, once for all who read it.
    func report(repairs: [String], of key: String) {
        state.withLock { $0.log.note(repairs: repairs, of: PreferencesKey(key)) }
        logNotes()
    }

    /// Logs that `key` is declared with these defaults, once.
    func report(defaults: [String], of key: String) {
        state.withLock { $0.log.note(defaults: defaults, of: PreferencesKey(key)) }
        logNotes()
    }

    /// Logs what was noted; inside a change, its end does that, with no lock held: a log handler may use stored values too.
    func logNotes() {
        guard turns.activity == nil else { return }
        log(state.withLock { $0.log.take() })
    }

    func log(_ notes: [TroubleLog.Note]) {
        for note in notes { logger.log(level: note.level, "\(note.text)") }
    }
}
