#if Libsecret
    import CSecret

    // What KWallet does otherwise than the Secret Service's specification says.
    extension Daemon {
        /// Whether this is KWallet and the collection of these paths is a wallet that is open.
        ///
        /// Until somebody first uses it through the Secret Service, KWallet calls a collection locked though the wallet is
        /// open, finds nothing in it, and offers a prompt that asks nothing but unlocks. Its own interface tells whether the
        /// wallet is open; other services do not know that interface.
        func isOpenWallet(
            collectionOf paths: [ObjectPath], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Bool {
            guard let collection = paths.first?.prefix(5) else { return false }  // /org/freedesktop/secrets/collection/<name>
            guard paths.allSatisfy({ $0.isInside(collection) }) else { return false }
            do throws(SecretServiceError) {
                let wallet = Variant.string(try label(of: collection, cancellable))
                for module: ObjectPath in ["/modules/kwalletd5", "/modules/kwalletd6"] {
                    do throws(SecretServiceError) {
                        let reply = try send("isOpen", of: "org.kde.KWallet", at: module, [wallet], reply: "(b)", cancellable)
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
#endif
