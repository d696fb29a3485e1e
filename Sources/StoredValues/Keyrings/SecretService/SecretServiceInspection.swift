/// What was found about the desktop's keyring by looking only: nothing was started and nobody was asked.
package struct SecretServiceInspection: Hashable, Sendable {
    /// The address of the session bus.
    package let bus: String
    /// Whether a program provides the Secret Service now.
    package let isRunning: Bool
    /// The number of its process, where the bus knows that.
    package let process: UInt32?
    /// Whether the bus starts such a program when it is first needed.
    package let canBeStarted: Bool
    /// What the default collection is called; nil where there is none, or nobody to ask.
    package let collection: String?
    /// Whether the default collection is locked.
    package let isLocked: Bool
    /// Whether it refuses to encrypt secrets on their way; nil where that could not be told.
    package let isPlain: Bool?
}
