import StoredValuesSupport

@testable import StoredValues
@testable import StoredValuesFiles

/// The system's calls, recorded by name, of which some fail, and with something else happening just before them. Closing
/// never fails, and is not recorded.
final class FaultyFileOperations: FileOperations {
    let canBeWatched = true
    private let system = POSIXFileOperations()
    private let state = Guarded<State>(State())
    private let before: @Sendable (String) -> Void
    private let beforeLooking: @Sendable () -> Void

    private struct State {
        var calls: [String] = []
        var count = 0
        var faults: [String: SystemErrorCode] = [:]
        var longestWrite = Int.max
    }

    /// Operations of which those named fail with the code given.
    init(
        failing faults: [String: SystemErrorCode] = [:], longestWrite: Int = .max,
        before: @escaping @Sendable (String) -> Void = { _ in }, beforeLooking: @escaping @Sendable () -> Void = {}
    ) {
        (self.before, self.beforeLooking) = (before, beforeLooking)
        state.withLock {
            $0.faults = faults
            $0.longestWrite = longestWrite
        }
    }

    /// The names of the calls so far, in order, without those that only look.
    var calls: [String] { state.withLock { $0.calls } }
    /// How many there were with those, but without what lets go of something.
    var count: Int { state.withLock { $0.count } }

    /// Lets `call` fail from now on; nil lets it succeed again.
    func fail(_ call: String, with code: SystemErrorCode?) {
        state.withLock { $0.faults[call] = code }
    }

    private func note(_ call: String) throws(SystemErrorCode) {
        before(call)
        let fault = state.withLock { state in
            state.calls.append(call)
            state.count += 1
            return state.faults[call]
        }
        if let fault { throw fault }
    }

    func open(_ path: String, for purpose: OpenPurpose) throws(SystemErrorCode) -> Int32 {
        try note("open \(purpose)")
        return try system.open(path, for: purpose)
    }
    func close(_ descriptor: Int32) {
        before("close")
        system.close(descriptor)
    }
    func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        try note("read")
        return try system.read(descriptor, into: buffer)
    }
    func write(_ descriptor: Int32, from buffer: UnsafeRawBufferPointer) throws(SystemErrorCode) -> Int {
        try note("write")
        let limit = state.withLock { $0.longestWrite }
        return try system.write(descriptor, from: UnsafeRawBufferPointer(rebasing: buffer.prefix(limit)))
    }
    func synchronize(_ descriptor: Int32) throws(SystemErrorCode) {
        try note(try system.status(of: descriptor).kind == .folder ? "synchronize folder" : "synchronize")
        try system.synchronize(descriptor)
    }
    private func look() {
        beforeLooking()
        state.withLock { $0.count += 1 }
    }
    func status(of descriptor: Int32) throws(SystemErrorCode) -> FileStatus {
        look()
        return try system.status(of: descriptor)
    }
    func status(at path: String, followingLinks: Bool) throws(SystemErrorCode) -> FileStatus {
        look()
        return try system.status(at: path, followingLinks: followingLinks)
    }
    func changeMode(of descriptor: Int32, to mode: UInt32) throws(SystemErrorCode) {
        try note("changeMode")
        try system.changeMode(of: descriptor, to: mode)
    }
    func changeOwner(of descriptor: Int32, user: UInt32?, group: UInt32) throws(SystemErrorCode) {
        try note("changeOwner")
        try system.changeOwner(of: descriptor, user: user, group: group)
    }
    func lock(_ descriptor: Int32, waiting: Bool) throws(SystemErrorCode) {
        try note("lock")
        try system.lock(descriptor, waiting: waiting)
    }
    func unlock(_ descriptor: Int32) { system.unlock(descriptor) }
    func markWaiting(_ descriptor: Int32, since time: Int64?) { system.markWaiting(descriptor, since: time) }
    func isWaitedFor(_ descriptor: Int32, since time: Int64) -> Bool {
        look()
        return system.isWaitedFor(descriptor, since: time)
    }
    func markTaken(_ descriptor: Int32, at time: Int64?) { system.markTaken(descriptor, at: time) }
    func timeTaken(_ descriptor: Int32) -> Int64? { system.timeTaken(descriptor) }
    func rename(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try note("rename")
        try system.rename(path, to: newPath)
    }
    func link(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try note("link")
        try system.link(path, to: newPath)
    }
    func unlink(_ path: String) throws(SystemErrorCode) {
        try note("unlink")
        try system.unlink(path)
    }
    func makeFolder(_ path: String, mode: UInt32) throws(SystemErrorCode) {
        try note("makeFolder")
        try system.makeFolder(path, mode: mode)
    }
    func readLink(_ path: String) throws(SystemErrorCode) -> String {
        look()
        return try system.readLink(path)
    }
    func attributeNames(at path: String) throws(SystemErrorCode) -> [String] {
        try note("attributeNames")
        return try system.attributeNames(at: path)
    }
    func attribute(_ name: String, at path: String) throws(SystemErrorCode) -> [UInt8] {
        try note("attribute")
        return try system.attribute(name, at: path)
    }
    func setAttribute(_ name: String, of descriptor: Int32, to value: [UInt8]?) throws(SystemErrorCode) {
        try note("setAttribute")
        try system.setAttribute(name, of: descriptor, to: value)
    }
}
