import Foundation
import StoredValuesSupport

@testable import StoredValues
@testable import StoredValuesFiles

/// The system's inotify, counted, of which some calls fail, and with something else happening just before a folder is watched.
final class FaultyInotify: Inotify {
    private let system = SystemInotify()
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

    /// Calls of which those named fail: "open", "read" or "watch" with a path. `before` is called with each path that is
    /// to be watched, and `whenAsked` with each whose file system's type is asked for, which comes after watching.
    init(
        failing faults: [String: SystemErrorCode] = [:], before: @escaping @Sendable (String) -> Void = { _ in },
        whenAsked: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.before = before
        self.whenAsked = whenAsked
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

    func open() throws(SystemErrorCode) -> Int32 {
        try fault("open")
        let instance = try system.open()
        state.withLock {
            $0.opened += 1
            $0.instances.append(instance)
        }
        return instance
    }

    func close(_ instance: Int32) {
        state.withLock { $0.instances.removeAll { $0 == instance } }
        system.close(instance)
    }

    func watch(_ path: String, for events: FolderEvents, adding: Bool, in instance: Int32) throws(SystemErrorCode) -> Int32 {
        before(path)
        try fault("watch \(path)")
        let watch = try system.watch(path, for: events, adding: adding, in: instance)
        state.withLock { $0.asked[path] = adding ? $0.asked[path, default: []].union(events) : events }
        return watch
    }

    func unwatch(_ watch: Int32, in instance: Int32) {
        system.unwatch(watch, in: instance)
    }

    func read(_ instance: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemErrorCode) -> Int {
        let thread = try? POSIXFileOperations().readLink("/proc/thread-self")
        state.withLock {
            $0.thread = thread
            $0.isReading = true
        }
        let count = try system.read(instance, into: buffer)
        state.withLock {
            $0.reads += 1
            $0.isReading = false
        }
        try fault("read")
        return count
    }

    func fileSystemType(at path: String) -> String? {
        whenAsked(path)
        return state.withLock { $0.fileSystems[path] } ?? system.fileSystemType(at: path)
    }
}
