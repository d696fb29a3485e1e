import Dispatch
import FoundationEssentials
import Locking
import Logging

/// One preferences file as this process sees it: what is on the disk, and over it what could not be written yet.
///
/// Locks are taken in this order: the gate (one change at a time in this process), the file's lock (one at a time on
/// this machine), `state` (moments; reading needs no other).
final class OpenPreferences: Sendable {
    /// How long after a change the background fsync begins, so that a burst of changes costs one.
    private static let syncDelay = DispatchTimeInterval.milliseconds(50)

    /// Where the values lie, for people.
    let path: String
    /// The file, or why there is none.
    private let file: Result<DurableFile, PreferencesError>
    private let gate = ChangeGate()
    private let state = Guarded(PreferencesState())
    /// Runs what waits for the disk, so that no caller's thread and no thread of the cooperative pool does.
    private let background = DispatchQueue(label: "StoredValues.preferences")
    private let log = Logger(label: "StoredValues")

    /// Opens the file and reads it. Trouble is logged, and thrown by ``flush()``.
    init(_ file: Result<DurableFile, PreferencesError>) {
        self.file = file
        switch file {
        case .success(let file): path = (try? file.resolvedPath) ?? file.path
        case .failure: path = "(no file)"
        }
        readFirst()
    }

    private func readFirst() {
        guard case .success(let file) = file else { return }
        do {
            guard let contents = try file.read() else { return }
            let document = try PreferencesDocument(parsing: contents.bytes)
            state.withLock { state in
                state.document = document
                state.identity = contents.identity
            }
        } catch let error as JSONSyntaxError {
            note(notJSON(error))
        } catch {
            note("Could not read the preferences \"\(path)\"; defaults are used. \(error)")
        }
    }

    // MARK: Reading

    /// The member that keeps `key` in memory: the one that exists, or a new one made by `make` from the JSON text.
    ///
    /// A key that was declared with another item type ends the program.
    func member<Item, Member: PreferencesMember>(
        _ key: String, _ itemType: Item.Type, make: ([UInt8]?) -> Member
    ) -> Member {
        let found = state.withLock { state -> (member: Member?, otherType: (any Any.Type)?) in
            let key = PreferencesKey(key)
            let declared = state.types[key] ?? itemType
            guard declared == itemType else { return (nil, declared) }
            state.types[key] = itemType
            if let member = state.members[key]?.member as? Member { return (member, nil) }
            let member = make(state.document[key])
            state.members[key] = PreferencesState.WeakMember(member: member)
            return (member, nil)
        }
        guard let member = found.member else {
            misuse(
                "The key \"\(key)\" of \"\(path)\" is declared with two types: \(found.otherType.map { "\($0)" } ?? "?") and \(itemType). Give one of them another key.")
        }
        return member
    }

    /// The names of the stored members, sorted, without those that this library keeps for itself.
    var keys: [String] {
        state.withLock { $0.document }.keys.filter { !$0.hasPrefix("$") }
    }

    /// The JSON text stored under `key`, or nil.
    func text(of key: String) -> [UInt8]? {
        state.withLock { $0.document }[key]
    }

    // MARK: Changing

    /// Makes the changes that `body` asks for: the only way in which values change in this process.
    ///
    /// When this returns, the file is replaced and every reader in this process sees the change. If the file cannot be
    /// written, the change stays in memory, is logged, is tried again with the next one and is thrown by ``flush()``.
    /// `body` runs once, with the file's lock held and the file read again if somebody else changed it.
    ///
    /// - Parameter mayNest: The library's own changes may be made inside a person's; they are written with it.
    func change<Result, Failure>(
        _ call: String, mayNest: Bool = false, _ body: (inout PreferencesTransaction) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Out here because a lock's closure returns nothing that is not Sendable, and items go when the locks are free.
        var outcome: Swift.Result<Result, Failure>?
        var transaction = PreferencesTransaction()
        switch gate.activity {
        case nil:
            whileLocked(.change(call)) { session, aftermath in
                outcome = Swift.Result { () throws(Failure) in try body(&transaction) }
                guard case .success = outcome else { return }
                _ = commit(transaction.changes, to: session, &aftermath)
            }
        case .change where mayNest, .batch:
            gate.during(.change(call)) {
                outcome = Swift.Result { () throws(Failure) in try body(&transaction) }
                guard case .success = outcome else { return }
                commitInBatch(transaction.changes)
            }
        case .change(let outer):
            misuse(
                "\(call) was called inside the closure of \(outer), and both change \"\(path)\". Make the second change after the first has returned.")
        }
        guard let outcome else { preconditionFailure("the gate did not run its body") }
        return try outcome.get()
    }

    /// Runs `body`, and writes all changes that this thread makes in it with one replacement of the file.
    func batch<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        switch gate.activity {
        case nil:
            whileLocked(.batch) { session, aftermath in
                outcome = Swift.Result { () throws(Failure) in try body() }
                _ = commit([:], to: session, &aftermath)
                aftermath.append(state.withLock { $0.takeBatchAftermath() })
            }
        case .batch:
            return try body()
        case .change(let outer):
            misuse(
                "batch { } was called inside the closure of \(outer), and both change \"\(path)\". Put the batch around it.")
        }
        guard let outcome else { preconditionFailure("the gate did not run its body") }
        return try outcome.get()
    }

    /// Notes a change that cannot be made at all: it is logged, and the next ``flush()`` throws it.
    func refuse(_ refusal: PreferencesError) {
        state.withLock { state in
            if !state.refusals.contains(refusal) { state.refusals.append(refusal) }
        }
        report(refusal.description)
    }

    // MARK: Writing

    /// The file's lock, with what was found when it was taken.
    private struct Session: ~Copyable {
        let locked: LockedFile
        /// What is there does not parse, so it is put aside before anything is written over it.
        let isRejected: Bool
    }

    /// Runs `body` as the only change in this process and, unless the session is a failure, on this machine.
    private func whileLocked(
        _ activity: ChangeGate.Activity,
        _ body: (borrowing Swift.Result<Session, PreferencesError>, inout Aftermath) -> Void
    ) {
        var aftermath = Aftermath()
        gate.enter(activity) {
            let session = Swift.Result { () throws(PreferencesError) in try beginSession(&aftermath) }
            body(session, &aftermath)
        }
        aftermath.settle()
        logNotes()
    }

    /// Takes the file's lock and reads the file if somebody else changed it.
    private func beginSession(_ aftermath: inout Aftermath) throws(PreferencesError) -> Session {
        let file = try file.get()
        do {
            let isWaiting = state.withLock { $0.isWaitingForLock }
            let locked = try file.lock(timeout: isWaiting ? .zero : DurableFile.lockTimeout)
            let identity = try locked.identity()
            guard identity != state.withLock({ $0.identity }) else { return Session(locked: locked, isRejected: false) }
            let contents = try locked.read()
            let document: PreferencesDocument
            do throws(JSONSyntaxError) {
                document = try contents.map { contents throws(JSONSyntaxError) in
                    try PreferencesDocument(parsing: contents.bytes)
                } ?? PreferencesDocument()
            } catch {
                report(notJSON(error))
                return Session(locked: locked, isRejected: true)
            }
            state.withLock { $0.adopt(document, contents?.identity, &aftermath) }
            return Session(locked: locked, isRejected: false)
        } catch {
            var error = error
            if error.isLockTimeout {
                waitForLock(of: file)
                error.reason = .lockTimedOut(after: DurableFile.lockTimeout)  // those behind the first did not wait themselves
            }
            throw .notSaved(path: path, reason: error.description)
        }
    }

    /// Writes `changes` and whatever is unsaved, and tells the members. Returns why it could not be written.
    private func commit(
        _ changes: [PreferencesKey: PreferencesTransaction.Change], to session: borrowing Swift.Result<Session, PreferencesError>,
        _ aftermath: inout Aftermath
    ) -> PreferencesError? {
        let old = state.withLock { (document: $0.document, needsWriting: $0.needsWriting) }
        let changes = changes.filter { old.document[$0.key] != $0.value.json }
        guard !changes.isEmpty || old.needsWriting else { return nil }
        let document = changes.isEmpty ? old.document : old.document.applying(changes.mapValues(\.json))
        do throws(PreferencesError) {
            let identity = try write(document, to: session)
            state.withLock { state in
                state.wasWritten(identity)
                state.make(changes, in: document, &aftermath)
            }
            scheduleSync()
            return nil
        } catch {
            state.withLock { state in
                state.unsaved.merge(changes.mapValues(\.json)) { $1 }
                state.keptOpen = self
                state.make(changes, in: document, &aftermath)
            }
            report(error.description)
            return error
        }
    }

    /// Makes changes in memory; the end of the batch writes them.
    private func commitInBatch(_ changes: [PreferencesKey: PreferencesTransaction.Change]) {
        state.withLock { state in
            var aftermath = Aftermath()
            aftermath.release(changes.mapValues(\.item))
            let changes = changes.filter { state.document[$0.key] != $0.value.json }
            state.unsaved.merge(changes.mapValues(\.json)) { $1 }
            state.make(changes, in: state.document.applying(changes.mapValues(\.json)), &aftermath)
            state.batchAftermath.append(aftermath)
        }
    }

    private func write(
        _ document: PreferencesDocument, to session: borrowing Swift.Result<Session, PreferencesError>
    ) throws(PreferencesError) -> FileIdentity {
        switch session {
        case .failure(let error): throw error
        case .success(let session):
            do {
                if session.isRejected {
                    let time = Date.now.formatted(.iso8601.timeSeparator(.omitted).dateSeparator(.omitted))
                    let rejected = try session.locked.setAside(as: "rejected-\(time)")
                    // From here on only memory has the last good values.
                    state.withLock { state in
                        state.identity = nil
                        state.mustRewrite = true
                    }
                    report("Put the file that is not JSON aside as \"\(rejected)\".")
                }
                return try session.locked.replace(with: document.text, durably: false)
            } catch {
                throw .notSaved(path: path, reason: error.description)
            }
        }
    }

    /// Waits for another process that has kept the lock for too long, on a thread of its own, then writes what is unsaved.
    private func waitForLock(of file: DurableFile) {
        let isFirst = state.withLock { state in
            defer { state.isWaitingForLock = true }
            return !state.isWaitingForLock
        }
        guard isFirst else { return }
        DispatchQueue(label: "StoredValues.lock").async { [self] in
            _ = try? file.lock(timeout: nil)  // Its errors come again, and are reported, when the change is written.
            state.withLock { $0.isWaitingForLock = false }
            _ = save()
        }
    }

    /// Writes what is unsaved, if anything is. Returns why it could not be written.
    private func save() -> PreferencesError? {
        var problem: PreferencesError?
        whileLocked(.change("saving")) { session, aftermath in
            problem = commit([:], to: session, &aftermath)
        }
        return problem
    }

    // MARK: Bringing to the disk

    /// Returns when everything before it would survive a power cut, and throws what went wrong.
    func flush() async throws(PreferencesError) {
        let problem = await withCheckedContinuation { continuation in
            background.async { continuation.resume(returning: self.flushNow()) }
        }
        if let problem { throw problem }
    }

    private func flushNow() -> PreferencesError? {
        if case .failure(let error) = file, state.withLock({ !$0.unsaved.isEmpty }) { return error }
        if state.withLock({ $0.needsWriting }), let problem = save() { return problem }
        if let problem = sync() { return problem }
        return state.withLock { state in
            state.refusals.isEmpty ? nil : state.refusals.removeFirst()
        }
    }

    private func scheduleSync() {
        let isFirst = state.withLock { state in
            defer { state.isSyncScheduled = true }
            return !state.isSyncScheduled
        }
        guard isFirst else { return }
        background.asyncAfter(deadline: .now() + Self.syncDelay) { [self] in
            state.withLock { $0.isSyncScheduled = false }
            if let problem = sync() { report(problem.description) }
        }
    }

    private func sync() -> PreferencesError? {
        guard case .success(let file) = file else { return nil }
        do {
            try file.sync()
            return nil
        } catch {
            state.withLock { $0.mustRewrite = true }
            return .notSaved(path: path, reason: error.description)
        }
    }

    // MARK: Logging

    private func notJSON(_ error: JSONSyntaxError) -> String {
        "The preferences \"\(path)\" are not JSON: \(error). The last good values, or the defaults, stay in use. Correct the file; before a change is written over it, it is put aside."
    }

    /// Logs a trouble; the same one again only after a change was written. Inside a change it waits for its end: a log
    /// handler may use stored values too.
    private func report(_ trouble: String) {
        note(trouble)
        if gate.activity == nil { logNotes() }
    }

    private func note(_ trouble: String) {
        state.withLock { state in
            if state.troubles.count > 100 { state.troubles = [] }
            guard state.troubles.insert(trouble).inserted else { return }
            state.notes.append((.error, trouble))
        }
    }

    /// Logs what a value had to be repaired by.
    func report(repair: String) {
        state.withLock { $0.notes.append((.warning, repair)) }
        if gate.activity == nil { logNotes() }
    }

    /// Logs what was noted; to be called with no lock held.
    func logNotes() {
        let notes = state.withLock { state in
            defer { state.notes = [] }
            return state.notes
        }
        for (level, text) in notes { log.log(level: level, "\(text)") }
    }
}
