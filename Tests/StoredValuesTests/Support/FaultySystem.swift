import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

/// The system's calls, recorded by name, of which some fail, and with something else happening just before them. Closing
/// never fails, and is not recorded.
// Sound: what changes is guarded.
final class FaultyFileOperations: FileOperations, @unchecked Sendable {
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
        super.init()
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

    override func open(_ path: String, for purpose: OpenPurpose) throws(SystemErrorCode) -> Int32 {
        try note("open \(purpose)")
        return try super.open(path, for: purpose)
    }
    override func close(_ descriptor: Int32) {
        before("close")
        super.close(descriptor)
    }
    override func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        try note("read")
        return try super.read(descriptor, into: buffer)
    }
    override func write(_ descriptor: Int32, from buffer: UnsafeRawBufferPointer) throws(SystemErrorCode) -> Int {
        try note("write")
        let limit = state.withLock { $0.longestWrite }
        return try super.write(descriptor, from: UnsafeRawBufferPointer(rebasing: buffer.prefix(limit)))
    }
    override func synchronize(_ descriptor: Int32) throws(SystemErrorCode) {
        try note(try super.status(of: descriptor).kind == .folder ? "synchronize folder" : "synchronize")
        try super.synchronize(descriptor)
    }
    override func flush(_ descriptor: Int32) throws(SystemErrorCode) {
        try note("flush")
        try super.flush(descriptor)
    }
    private func look() {
        beforeLooking()
        state.withLock { $0.count += 1 }
    }
    override func status(of descriptor: Int32) throws(SystemErrorCode) -> FileStatus {
        look()
        return try super.status(of: descriptor)
    }
    override func status(at path: String, followingLinks: Bool) throws(SystemErrorCode) -> FileStatus {
        look()
        return try super.status(at: path, followingLinks: followingLinks)
    }
    override func changeMode(of descriptor: Int32, to mode: UInt32) throws(SystemErrorCode) {
        try note("changeMode")
        try super.changeMode(of: descriptor, to: mode)
    }
    override func changeOwner(of descriptor: Int32, user: UInt32?, group: UInt32) throws(SystemErrorCode) {
        try note("changeOwner")
        try super.changeOwner(of: descriptor, user: user, group: group)
    }
    override func lock(_ descriptor: Int32, waiting: Bool) throws(SystemErrorCode) {
        try note("lock")
        try super.lock(descriptor, waiting: waiting)
    }
    override func othersMark(_ descriptor: Int32, in range: Range<Int64>) -> Int64? {
        look()
        return super.othersMark(descriptor, in: range)
    }
    override func rename(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try note("rename")
        try super.rename(path, to: newPath)
    }
    override func link(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try note("link")
        try super.link(path, to: newPath)
    }
    override func unlink(_ path: String) throws(SystemErrorCode) {
        try note("unlink")
        try super.unlink(path)
    }
    override func makeFolder(_ path: String, mode: UInt32) throws(SystemErrorCode) {
        try note("makeFolder")
        try super.makeFolder(path, mode: mode)
    }
    override func hasNoLinks(_ path: String) -> Bool { false }  // what can fail is asked
    override func readLink(_ path: String) throws(SystemErrorCode) -> String {
        look()
        return try super.readLink(path)
    }
    override func attributeNames(at path: String) throws(SystemErrorCode) -> [String] {
        try note("attributeNames")
        return try super.attributeNames(at: path)
    }
    override func attribute(_ name: String, at path: String) throws(SystemErrorCode) -> [UInt8] {
        try note("attribute")
        return try super.attribute(name, at: path)
    }
    override func setAttribute(_ name: String, of descriptor: Int32, to value: [UInt8]?) throws(SystemErrorCode) {
        try note("setAttribute")
        try super.setAttribute(name, of: descriptor, to: value)
    }
}

/// The system's calls for a file on a network file system, as one machine makes them: what its status is, the machine knows from when it
/// last opened the file, or renamed another one over it (nfs(5), "Close-to-open cache consistency").
// Sound: what changes is guarded.
final class RemoteFileOperations: FileOperations, @unchecked Sendable {
    private let path: String
    private let known = Guarded<FileStatus?>(nil)

    init(at path: String) { self.path = path }

    override func status(at path: String, followingLinks: Bool) throws(SystemErrorCode) -> FileStatus {
        if path == self.path, let known = known.withLock({ $0 }) { return known }
        return try super.status(at: path, followingLinks: followingLinks)
    }
    override func open(_ path: String, for purpose: OpenPurpose) throws(SystemErrorCode) -> Int32 {
        let descriptor = try super.open(path, for: purpose)
        if path == self.path { try note(status(of: descriptor)) }
        return descriptor
    }
    override func rename(_ path: String, to newPath: String) throws(SystemErrorCode) {
        try super.rename(path, to: newPath)
        if newPath == self.path { note(nil) }
    }
    private func note(_ status: FileStatus?) { known.withLock { $0 = status } }
}

/// The system's inotify, counted, of which some calls fail, and with something else happening just before a folder is watched.
// Sound: what changes is guarded.
final class FaultyInotify: Inotify, @unchecked Sendable {
    private let state = Guarded(State())
    private let before: @Sendable (String) -> Void
    private let whenAsked: @Sendable (String) -> Void

    private struct State {
        var faults: [String: SystemErrorCode] = [:]
        var fileSystems: [String: String] = [:]
        var asked: [String: FolderEvents] = [:]
        var instances: [Int32] = []
        var opened = 0
        var reads = 0
        var isReading = false
        var thread: String?
    }

    /// Calls of which those named fail: "open", "read", "mount" or "watch" with a path. `before` is called with each path that is
    /// to be watched, and `whenAsked` with each whose mount is asked for, which comes after watching.
    init(
        failing faults: [String: SystemErrorCode] = [:], before: @escaping @Sendable (String) -> Void = { _ in },
        whenAsked: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.before = before
        self.whenAsked = whenAsked
        super.init()
        state.withLock { $0.faults = faults }
    }

    /// Lets `call` fail from now on; nil lets it succeed again.
    func fail(_ call: String, with code: SystemErrorCode?) {
        state.withLock { $0.faults[call] = code }
    }

    /// Says that another file system is mounted at `path`.
    func pretend(_ type: String, at path: String) {
        state.withLock { $0.fileSystems[path] = type }
    }

    /// How many instances were opened, and those that are open.
    var opened: Int { state.withLock { $0.opened } }
    var instances: [Int32] { state.withLock { $0.instances } }
    /// How often reading returned.
    var reads: Int { state.withLock { $0.reads } }
    /// Whether the thread waits for events.
    var isReading: Bool { state.withLock { $0.isReading } }
    /// What the system was asked to tell of the folder at `path`.
    func asked(of path: String) -> FolderEvents? { state.withLock { $0.asked[path] } }

    /// How many folders the system watches, as it says itself.
    func watchedFolders() throws -> Int {
        guard let instance = instances.last else { return 0 }
        return try contents(ofFile: "/proc/self/fdinfo/\(instance)").split(separator: "\n").count { $0.hasPrefix("inotify wd:") }
    }

    /// What the system says of the thread that reads: the line of its status that begins with `field`.
    func threadStatus(_ field: String) throws -> String? {
        guard let thread = state.withLock({ $0.thread }) else { return nil }
        let lines = try contents(ofFile: "/proc/\(thread)/status").split(separator: "\n")
        return lines.first { $0.hasPrefix(field + ":") }?.dropFirst(field.count + 1).trimmingCharacters(in: .whitespaces)
    }

    private func fault(_ call: String) throws(SystemErrorCode) {
        if let code = state.withLock({ $0.faults[call] }) { throw code }
    }

    override func open() throws(SystemErrorCode) -> Int32 {
        try fault("open")
        let instance = try super.open()
        state.withLock {
            $0.opened += 1
            $0.instances.append(instance)
        }
        return instance
    }

    override func close(_ instance: Int32) {
        state.withLock { $0.instances.removeAll { $0 == instance } }
        super.close(instance)
    }

    override func watch(_ path: String, for events: FolderEvents, adding: Bool, in instance: Int32) throws(SystemErrorCode) -> Int32 {
        before(path)
        try fault("watch \(path)")
        let watch = try super.watch(path, for: events, adding: adding, in: instance)
        state.withLock { $0.asked[path] = adding ? $0.asked[path, default: []].union(events) : events }
        return watch
    }

    override func read(_ instance: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        let thread = try? FileOperations.posix.readLink("/proc/thread-self")
        state.withLock {
            $0.thread = thread
            $0.isReading = true
        }
        let count = try super.read(instance, into: buffer)
        state.withLock {
            $0.reads += 1
            $0.isReading = false
        }
        try fault("read")
        return count
    }

    override func mount(of path: String) throws(FileError) -> MountTable.Mount? {
        whenAsked(path)
        do { try fault("mount") } catch { throw FileError(.read, "/proc/self/mountinfo", error) }
        guard let type = state.withLock({ $0.fileSystems[path] }) else { return try super.mount(of: path) }
        return (type, try super.mount(of: path)?.isHere ?? false)
    }
}

/// Runs `body` while this process can open nothing. For exit tests: nobody else in the process can either.
func withoutDescriptors<Result>(_ body: () async throws -> Result) async throws -> Result {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var usual = rlimit()
    try #require(getrlimit(resource, &usual) == 0)
    var none = usual
    none.rlim_cur = 0
    try #require(setrlimit(resource, &none) == 0)
    defer { #expect(setrlimit(resource, &usual) == 0) }
    return try await body()
}
