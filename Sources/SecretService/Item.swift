#if Libsecret
    import CSecret

    /// An item of the Secret Service, as a search found it.
    struct Item {
        let reference: Reference<UnsafeMutablePointer<SecretItem>>

        var path: String {
            String(cString: g_dbus_proxy_get_object_path(proxy))  // never nil for a proxy that was initialised
        }

        var isLocked: Bool { secret_item_get_locked(reference.pointer) != 0 }

        var attributes: [String: String] {
            secret_item_get_attributes(reference.pointer).map(strings(consuming:)) ?? [:]
        }

        /// Of several items for one secret, which one counts. The service's times have whole seconds, so the time of
        /// creation and then the path break a tie: the same way for reading and for updating.
        static func newest(of items: [Item]) -> Item? {
            items.max { $0.rank < $1.rank }
        }

        private var rank: (guint64, guint64, Int, String) {
            let path = path
            return (
                secret_item_get_modified(reference.pointer), secret_item_get_created(reference.pointer), path.utf8.count, path
            )
        }

        private var proxy: UnsafeMutablePointer<GDBusProxy> {
            UnsafeMutableRawPointer(reference.pointer).assumingMemoryBound(to: GDBusProxy.self)  // SecretItem is a GDBusProxy
        }

        /// Fetches the secret and lends its bytes to `take`. libsecret wipes its copy when it goes.
        func load<Taken>(
            _ cancellable: Cancellable, _ take: (UnsafeRawBufferPointer) -> Taken
        ) throws(SecretServiceError) -> Taken {
            let pointer = reference.pointer
            _ = try checked { secret_item_load_secret_sync(pointer, cancellable, $0) }
            guard let value = secret_item_get_secret(pointer) else {
                throw .other(domain: "stored-values", code: 1, message: "the service returned an item without a secret")
            }
            defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
            var count: gsize = 0
            let bytes = secret_value_get(value, &count)
            return take(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }

        /// Replaces the secret in place. KeePassXC asks the person when another process *creates* over an item, not for this.
        func set(_ value: SecretBytes, _ cancellable: Cancellable) throws(SecretServiceError) {
            let pointer = reference.pointer
            _ = try checked { secret_item_set_secret_sync(pointer, value.pointer, cancellable, $0) }
        }

        /// Deletes the item; succeeds when somebody else just did.
        func delete(_ daemon: Daemon, _ cancellable: Cancellable) throws(SecretServiceError) {
            do {
                let reply = try daemon.send("Delete", of: "org.freedesktop.Secret.Item", at: path, [], cancellable)
                guard let prompt = Prompt(daemon: daemon, path: reply.child(0).string) else { return }
                try daemon.performHarmless(prompt, cancellable)
            } catch where error.isMissingObject {}
        }
    }
#endif
