/// What was found about the Secret Service on a bus by looking only: nothing was started and nobody was asked.
package struct ServiceInspection: Hashable, Sendable {
    /// The program that provides it.
    package struct Owner: Hashable, Sendable {
        /// The number of its process, where the bus knows that.
        package var process: UInt32?
        /// What its default collection is called, and whether it is locked; nil where there is none.
        package var collection: Collection?
        /// Whether it refuses to encrypt secrets on their way; nil where no session came about that tells.
        package var isPlain: Bool?
    }

    /// A collection of items.
    package struct Collection: Hashable, Sendable {
        package var label: String
        package var isLocked: Bool
    }

    /// The address of the bus.
    package var bus: String
    /// Who provides the service; nil while nobody does.
    package var owner: Owner?
    /// Whether the bus can start a program that does.
    package var canBeStarted: Bool
}
