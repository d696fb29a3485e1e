#if Libsecret
    import CSecret

    /// Lends `attributes` to `body` as the string table that libsecret takes.
    ///
    /// Throws for a text with a NUL, which C would cut there: it would name another secret.
    func withTable<Result>(
        of attributes: [String: String],
        _ body: (OpaquePointer) throws(SecretServiceError) -> Result
    ) throws(SecretServiceError) -> Result {
        guard !attributes.values.contains(where: { $0.utf8.contains(0) }) else {
            throw .other(domain: "stored-values", code: 2, message: "a service or account must not contain NUL")
        }
        // GLib aborts rather than return nil.
        let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)!
        defer { g_hash_table_unref(table) }
        for (name, value) in attributes {
            g_hash_table_insert(table, g_strdup(name), g_strdup(value))
        }
        return try body(table)
    }

    /// The strings of a table that libsecret gave; takes the table over.
    func strings(consuming table: OpaquePointer) -> [String: String] {
        defer { g_hash_table_unref(table) }
        var strings: [String: String] = [:]
        var iterator = GHashTableIter()
        var name: gpointer?
        var value: gpointer?
        g_hash_table_iter_init(&iterator, table)
        while g_hash_table_iter_next(&iterator, &name, &value) != 0 {
            guard let name, let value else { continue }
            strings[String(cString: name.assumingMemoryBound(to: CChar.self))] =
                String(cString: value.assumingMemoryBound(to: CChar.self))
        }
        return strings
    }
#endif
