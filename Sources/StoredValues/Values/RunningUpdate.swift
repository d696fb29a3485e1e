import Synchronization

/// An update of a secret whose closure is running. The closure's task and those that it makes know it: one that updates the same
/// secret would wait for itself.
final class RunningUpdate: Sendable {
    /// The update that the current task was made in.
    @TaskLocal static var ofTask: RunningUpdate?

    /// What is thrown for one that would wait for itself.
    static let ofItself = KeyringError.other(
        domain: "StoredValues", code: 2,
        message: "an update of this secret was called by the closure of another one, for whose end it would wait for ever; change the closure's own argument")

    private let secret: ObjectIdentifier
    private let outer: RunningUpdate?
    private let hasEnded = Atomic(false)

    init(of secret: AnyObject, inside outer: RunningUpdate?) {
        self.secret = ObjectIdentifier(secret)
        self.outer = outer
    }

    /// To be called when the closure has ended. What it has left running may update the secret like anybody else.
    func end() { hasEnded.store(true, ordering: .releasing) }

    /// This one, or else the next one around it, whose closure is running.
    var stillRunning: RunningUpdate? { hasEnded.load(ordering: .acquiring) ? outer?.stillRunning : self }

    /// Whether it, or one around it, is an update of `secret` whose closure is running.
    func concerns(_ secret: AnyObject) -> Bool {
        if self.secret == ObjectIdentifier(secret), !hasEnded.load(ordering: .acquiring) { return true }
        return outer?.concerns(secret) == true
    }
}
