#if Libsecret
    import CSecret

    /// An item of the Secret Service, as found by a search.
    struct Item {
        let daemon: Daemon
        let path: ObjectPath

        static let interface = "org.freedesktop.Secret.Item"

        var collection: ObjectPath { path.collection }

        /// Throws an error with `isMissingObject` if it no longer exists.
        func attributes() throws(SecretServiceError) -> [String: String] {
            guard let attributes = try properties().value(of: "Attributes", "a{ss}") else {
                throw .wrongAnswer(to: "GetAll", type: "no Attributes", expected: "some")
            }
            return attributes.dictionary
        }

        /// The last one is the one in use. The times have whole seconds, so the time of creation and then the path break ties, for reading
        /// and updating alike.
        static func oldestFirst(_ items: [Item]) throws(SecretServiceError) -> [Item] {
            guard items.count > 1 else { return items }
            var ranked: [(item: Item, rank: (modified: UInt64, created: UInt64, length: Int, path: String))] = []
            for item in items {
                let properties = try item.properties(), path = item.path.text
                let modified = try properties.value(of: "Modified", "t")?.seconds ?? 0
                let created = try properties.value(of: "Created", "t")?.seconds ?? 0
                ranked.append((item, (modified, created, path.utf8.count, path)))
            }
            return ranked.sorted { $0.rank < $1.rank }.map(\.item)
        }

        private func properties() throws(SecretServiceError) -> Variant {
            try daemon.call("GetAll", of: "org.freedesktop.DBus.Properties", at: path, [.string(Self.interface)], reply: "(a{sv})")
                .child(0)
        }

        /// The secret, encrypted for the session at the path `session`.
        func secret(in session: ObjectPath) throws(SecretServiceError) -> Variant {
            try daemon.call("GetSecret", of: Self.interface, at: path, [.path(session)], reply: "((oayays))").child(0)
        }

        /// In place. KeePassXC prompts the user when another process *creates* over an item, but not for this.
        func set(_ secret: Variant) throws(SecretServiceError) {
            _ = try daemon.call("SetSecret", of: Self.interface, at: path, [secret], reply: "()")
        }

        /// Makes the program signal that the item has changed, by setting its label to the current one.
        func announce() throws(SecretServiceError) {
            guard let label = try properties().value(of: "Label", "s") else { return }
            let value = withExtendedLifetime(label) { Variant(owning: g_variant_new_variant(label.pointer)) }
            let arguments = [Variant.string(Self.interface), .string("Label"), value]
            _ = try daemon.call("Set", of: "org.freedesktop.DBus.Properties", at: path, arguments, reply: "()")
        }

        /// Deletes the item; succeeds if another program has just deleted it. Throws `accessDenied` if the user does not confirm it
        /// before the deadline of the call; a later answer still counts.
        func delete() throws(SecretServiceError) {
            guard let reply = try ifExists(daemon.call("Delete", of: Self.interface, at: path, [], reply: "(o)")),
                let prompt = Prompt(daemon: daemon, path: reply.child(0).path)
            else { return }
            do { try daemon.performHarmless(prompt) } catch .dismissed { throw .accessDenied }
        }

        func exists() throws(SecretServiceError) -> Bool { try ifExists(properties()) != nil }
    }

    /// The bytes of a secret for the service, in libsecret's own memory, which it wipes.
    ///
    /// `@unchecked Sendable`: a `SecretValue` never changes, and its references are counted atomically.
    package final class SecretBytes: @unchecked Sendable {
        let pointer: OpaquePointer

        /// A copy of `bytes`, in memory that is not swapped.
        package init(_ bytes: UnsafeRawBufferPointer) {
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            pointer = secret_value_new(start, gssize(bytes.count), contentType(of: bytes))!  // never nil, GLib aborts instead
        }

        /// Takes over a reference.
        init(owning pointer: OpaquePointer) { self.pointer = pointer }

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            var count: gsize = 0
            let bytes = secret_value_get(pointer, &count)
            return withExtendedLifetime(self) { body(UnsafeRawBufferPointer(start: bytes, count: Int(count))) }
        }

        var isEmpty: Bool { withBytes { $0.isEmpty } }

        func equals(_ other: SecretBytes) -> Bool {
            withBytes { bytes in other.withBytes { bytes.elementsEqual($0) } }
        }

        deinit { secret_value_unref(UnsafeMutableRawPointer(pointer)) }
    }

    /// Valid UTF-8 without NUL is sent as text, which keyring programs display, everything else as an octet stream: KWallet
    /// truncates text at a NUL, and others replace invalid UTF-8.
    package func contentType(of bytes: UnsafeRawBufferPointer) -> String {
        // GLib copies nothing, and considers a NUL invalid if the length is given.
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let isText = start.map { g_utf8_validate($0, gssize(bytes.count), nil) != 0 } ?? true
        return isText ? "text/plain" : "application/octet-stream"
    }
#endif
