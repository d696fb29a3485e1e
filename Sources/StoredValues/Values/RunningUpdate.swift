import Synchronization

/// An update of a secret whose closure is running. Known, as a task-local value, to the closure's task and the tasks it creates: an
/// update of the same secret in there would wait for itself.
final class RunningUpdate: Sendable {
    /// The update that the current task was made in.
    @TaskLocal static var ofTask: RunningUpdate?

    /// Thrown for an update that would wait for itself.
    static let ofItself = KeyringError.other(
        domain: "StoredValues", code: 2,
        message: "update was called inside the closure of another update of the same secret, and would wait for itself; change the closure's argument instead")

    private let secret: ObjectIdentifier
    private let outer: RunningUpdate?
    private let hasEnded = Atomic(false)

    init(of secret: AnyObject, inside outer: RunningUpdate?) {
        self.secret = ObjectIdentifier(secret)
        self.outer = outer
    }

    /// Call this when the closure has ended. Tasks that it left running may then update the secret as usual.
    func end() { hasEnded.store(true, ordering: .releasing) }

    /// This update, or else the next outer one, whose closure is running.
    var stillRunning: RunningUpdate? { hasEnded.load(ordering: .acquiring) ? outer?.stillRunning : self }

    /// Whether it, or an outer one, is an update of `secret` whose closure is running.
    func concerns(_ secret: AnyObject) -> Bool {
        if self.secret == ObjectIdentifier(secret), !hasEnded.load(ordering: .acquiring) { return true }
        return outer?.concerns(secret) == true
    }
}
