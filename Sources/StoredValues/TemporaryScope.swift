import FoundationEssentials
import StoredValuesSupport
import Synchronization

/// What one `withTemporaryStorage` has of its own: a folder, and objects. Both go at its end.
///
/// What was made inside may be used after that, and then makes new ones here; they go when the last of it does.
final class TemporaryScope: Sendable {
    @TaskLocal private static var ofTask: TemporaryScope?
    /// Spares programs that never make a scope the search for one, which would cost more than reading a value.
    private static let isUsed = Atomic(false)

    /// The scope that the current task runs in.
    static var current: TemporaryScope? { isUsed.load(ordering: .relaxed) ? ofTask : nil }

    /// A folder that exists once something is put into it.
    let folder = FileManager.default.temporaryDirectory.path + "/stored-values-\(UUID().uuidString)"
    private let objects = Guarded<[[UInt8]: any AnyObject & Sendable]>([:])

    private init() { Self.isUsed.store(true, ordering: .relaxed) }

    /// Runs `body` in a new scope, and removes the scope's folder.
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

    /// The scope's object called `name`, made by `make` at the first use.
    func object<Object: AnyObject & Sendable>(_ name: String, make: () -> Object) -> Object {
        let name = Array(name.utf8)  // it may hold that of a file, of which two may look alike
        if let object = objects.withLock({ $0[name] }) as? Object { return object }
        let new = make()  // with no lock held: it may need other objects of the scope
        return objects.withLock { objects in
            if let object = objects[name] as? Object { return object }
            objects[name] = new
            return new
        }
    }

    private func end() {
        let old = objects.withLock { objects in
            defer { objects = [:] }
            return objects
        }
        withExtendedLifetime(old) {}  // they go when the lock is free
        removeFolder()
    }

    deinit { removeFolder() }

    private func removeFolder() {
        // A file that a sync in the background renames just then makes an attempt fail, and comes no second time.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: folder) {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }
}
