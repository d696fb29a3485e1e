#if Libsecret
    // What KWallet does otherwise than the Secret Service's specification says.
    extension Daemon {
        /// Whether this is KWallet and the collection of these paths is a wallet that is open.
        ///
        /// Until somebody first uses it through the Secret Service, KWallet calls a collection locked though the wallet is
        /// open, finds nothing in it, and offers a prompt that asks nothing but unlocks. Its own interface tells whether the
        /// wallet is open; other services do not know that interface.
        func isOpenWallet(collectionOf paths: [ObjectPath], _ cancellable: Cancellable) throws(SecretServiceError) -> Bool {
            guard let collection = paths.first?.prefix(5) else { return false }  // /org/freedesktop/secrets/collection/<name>
            guard paths.allSatisfy({ $0.isInside(collection) }) else { return false }
            do throws(SecretServiceError) {
                let wallet = Variant.string(try label(of: collection, cancellable))
                for module: ObjectPath in ["/modules/kwalletd5", "/modules/kwalletd6"] {
                    do throws(SecretServiceError) {
                        let reply = try call("isOpen", of: "org.kde.KWallet", at: module, [wallet], reply: "(b)", cancellable)
                        if reply.child(0).boolean { return true }
                    } catch {
                        // Any other error means: not KWallet, or another version of it.
                        if error.isBroken || error.isUndelivered || error.isWrongAnswer || error == .cancelled { throw error }
                    }
                }
                return false
            } catch where error.isMissingObject {
                return false
            }
        }
    }

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
