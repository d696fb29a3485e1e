#if Libsecret
    // Where KWallet deviates from the Secret Service's specification.
    extension Daemon {
        /// Whether this is KWallet and the collection of these paths is an open wallet.
        ///
        /// Until it is first used through the Secret Service, KWallet reports an open wallet's collection as locked, finds
        /// nothing in it, and offers a prompt that unlocks without asking. Its own interface reports whether the wallet is
        /// open; other services do not know that interface.
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
                        // Any other error means that this is not KWallet, or another version.
                        if error.isBroken || error.isUndelivered || error.isWrongAnswer || error == .cancelled { throw error }
                    }
                }
                return false
            } catch where error.isMissingObject {
                return false
            }
        }
    }

    // Where KeePassXC deviates from other services.
    extension Daemon {
        /// The additional name that KeePassXC owns on the bus.
        static let nameOfKeePassXC = "org.keepassxc.KeePassXC.MainWindow"

        /// Performs a prompt that the service requires before a change, if it is known to be harmless; returns its result.
        /// Throws `accessDenied` for any other, because it might prompt the user.
        ///
        /// KeePassXC requires a prompt for every item that is created or deleted. It does not ask the user, unless they have
        /// set in KeePassXC that deleting an item must be confirmed.
        @discardableResult
        func performHarmless(_ prompt: Prompt, _ cancellable: Cancellable) throws(SecretServiceError) -> Variant {
            guard try owns(Self.nameOfKeePassXC, cancellable) else { throw .accessDenied }
            do {
                return try prompt.perform(cancellable)
            } catch .noSecretService {
                throw .other(
                    domain: "stored-values", code: 3, message: "the keyring's program ended before it confirmed the change")
            }
        }
    }
#endif
