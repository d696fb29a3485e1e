/// The state of the desktop's keyring, found without starting a program or prompting the user.
package struct SecretServiceInspection: Hashable, Sendable {
    /// The address of the session bus.
    package let bus: String
    /// Whether a program currently provides the Secret Service.
    package let isRunning: Bool
    /// Its process number, if the bus knows it.
    package let process: UInt32?
    /// Whether the bus starts such a program when it is first needed.
    package let canBeStarted: Bool
    /// The label of the default collection; nil if there is none, or no program to ask.
    package let collection: String?
    /// Whether the default collection is locked.
    package let isLocked: Bool
    /// Whether it refuses to encrypt secrets in transit; nil if unknown.
    package let isPlain: Bool?
}
