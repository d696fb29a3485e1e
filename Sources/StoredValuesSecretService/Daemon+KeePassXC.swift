#if Libsecret
    import CSecret

    // What KeePassXC does otherwise than other services.
    extension Daemon {
        /// The name that KeePassXC owns on the bus besides.
        static let nameOfKeePassXC = "org.keepassxc.KeePassXC.MainWindow"

        /// Performs a prompt that must come before a change, if it is known to be harmless; returns its result.
        /// Throws `accessDenied` for any other: it might ask the person.
        ///
        /// KeePassXC wants a prompt performed for every item that is created or deleted. That asks the person nothing, unless
        /// their own settings there say that it shall be confirmed when an item is deleted.
        @discardableResult
        func performHarmless(_ prompt: Prompt, _ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            guard try owns(Self.nameOfKeePassXC, cancellable) else { throw .accessDenied }
            do {
                return try prompt.perform(cancellable)
            } catch .noSecretService {
                throw .other(
                    domain: "stored-values", code: 3, message: "the keyring went before it said whether it made the change")
            }
        }
    }
#endif
