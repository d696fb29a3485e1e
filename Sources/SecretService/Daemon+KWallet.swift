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
            collectionOf paths: [String], _ cancellable: Cancellable
        ) throws(SecretServiceError) -> Bool {
            let parts = paths.first?.split(separator: "/") ?? []
            let collection = "/" + parts.prefix(5).joined(separator: "/")  // /org/freedesktop/secrets/collection/<name>
            guard paths.allSatisfy({ $0 == collection || $0.hasPrefix("\(collection)/") }) else { return false }
            do {
                let wallet = Variant.string(try label(of: collection, cancellable))
                for module in ["/modules/kwalletd5", "/modules/kwalletd6"] {
                    // An error means: not KWallet, or another version of it.
                    let reply = try? send("isOpen", of: "org.kde.KWallet", at: module, [wallet], cancellable)
                    if reply?.child(0).boolean == true { return true }
                }
                return false
            } catch where error.isMissingObject {
                return false
            }
        }
    }
#endif
