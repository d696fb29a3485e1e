import FoundationEssentials
import StoredValuesSupport
import Synchronization

/// The private storage of one `withTemporaryStorage`: a folder and objects. Both are removed at its end. Values made inside that are
/// used after that create new objects here, which are released with the last such value.
package final class TemporaryScope: Sendable {
    @TaskLocal private static var ofTask: TemporaryScope?
    /// The scope that the current task runs in. Programs without scopes are spared the task-local lookup.
    package static var current: TemporaryScope? { SpecialReaders.all.exist ? ofTask : nil }
    /// Whether there is a scope, of whatever task.
    package static var existsAny: Bool { SpecialReaders.all.exist }

    /// Removed at the end, and again with the last value that was made inside.
    private let root = FileManager.default.temporaryDirectory.path + "/stored-values-\(UUID().uuidString)"
    private let isOver = Atomic(false)
    /// The folder; it is created when something is put into it. After the end it is another one: a sync may still hold an open file of the
    /// first, with its values, for a while.
    var folder: String { isOver.load(ordering: .acquiring) ? "\(root)/after" : root }
    private let objects = Guarded<[[UInt8]: any AnyObject & Sendable]>([:])

    private init() { SpecialReaders.all.count.add(1, ordering: .relaxed) }

    /// Runs `body` in a new scope, then removes the scope's folder.
    static func run<Result>(_ body: (TemporaryScope) throws -> Result) rethrows -> Result {
        let scope = TemporaryScope()
        defer { scope.end() }
        return try $ofTask.withValue(scope) { try body(scope) }
    }

    /// The same for asynchronous code.
    static func run<Result>(
        isolation: isolated (any Actor)?, _ body: (TemporaryScope) async throws -> Result
    ) async rethrows -> Result {
        let scope = TemporaryScope()
        defer { scope.end() }
        return try await $ofTask.withValue(scope, operation: { try await body(scope) }, isolation: isolation)
    }

    /// Continues work on another thread in the scope in which it began, if any.
    package static func resume<Result>(_ scope: TemporaryScope?, _ body: () throws -> Result) rethrows -> Result {
        guard let scope else { return try body() }
        return try $ofTask.withValue(scope, operation: body)
    }

    /// The scope's object called `name`; `make` creates it on first use.
    package func object<Object: AnyObject & Sendable>(_ name: String, make: () -> Object) -> Object {
        let name = Array(name.utf8)  // as bytes: a name may contain a file's, and two that differ as bytes may compare equal as strings
        if let object = objects.withLock({ $0[name] }) as? Object { return object }
        let new = make()  // without the lock: it may need other objects of the scope
        return objects.withLock { objects in
            if let object = objects[name] as? Object { return object }
            objects[name] = new
            return new
        }
    }

    private func end() {
        isOver.store(true, ordering: .releasing)
        let old = objects.withLock { exchange(&$0, with: [:]) }
        withExtendedLifetime(old) {}  // released without the lock
        removeFolder()
    }

    deinit {
        removeFolder()
        SpecialReaders.all.count.subtract(1, ordering: .relaxed)
    }

    private func removeFolder() {
        // An attempt fails if a background sync renames a file at that moment, which happens only once.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: root) {
            try? FileManager.default.removeItem(atPath: root)
        }
    }
}
