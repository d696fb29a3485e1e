#if Libsecret
    import CSecret

    /// A value on D-Bus.
    ///
    /// `@unchecked Sendable`: a `GVariant` never changes, and its references are counted atomically.
    final class Variant: @unchecked Sendable {
        let pointer: OpaquePointer

        /// Takes over a reference, floating or not.
        init(owning pointer: OpaquePointer) {
            self.pointer = g_variant_is_floating(pointer) != 0 ? g_variant_ref_sink(pointer) : pointer
        }

        deinit {
            g_variant_unref(pointer)
        }

        static func string(_ text: String) -> Variant { Variant(owning: g_variant_new_string(text)) }
        static func uint32(_ number: UInt32) -> Variant { Variant(owning: g_variant_new_uint32(number)) }

        static func boolean(_ value: Bool) -> Variant { Variant(owning: g_variant_new_boolean(value ? 1 : 0)) }
        static func path(_ path: String) -> Variant { Variant(owning: g_variant_new_object_path(path)) }
        static func paths(_ paths: [String]) -> Variant { array(of: "o", paths.map(path)) }

        /// A dictionary of strings.
        static func strings(_ strings: [String: String]) -> Variant {
            array(of: "{ss}", strings.map { entry(.string($0), .string($1)) })
        }

        /// A dictionary of values of any type.
        static func properties(_ values: [String: Variant]) -> Variant {
            array(of: "{sv}", values.map { entry(.string($0), Variant(owning: g_variant_new_variant($1.pointer))) })
        }

        private static func entry(_ key: Variant, _ value: Variant) -> Variant {
            Variant(owning: g_variant_new_dict_entry(key.pointer, value.pointer))
        }

        private static func array(of type: String, _ children: [Variant]) -> Variant {
            let type = g_variant_type_new(type)
            defer { g_variant_type_free(type) }
            let pointers: [OpaquePointer?] = children.map(\.pointer)
            // The children's own references are given back when this returns; the array has taken its own.
            return withExtendedLifetime(children) { Variant(owning: g_variant_new_array(type, pointers, gsize(pointers.count))) }
        }

        static func tuple(_ children: [Variant]) -> Variant {
            withExtendedLifetime(children) {
                Variant(owning: g_variant_new_tuple(children.map(\.pointer), gsize(children.count)))
            }
        }

        /// The member at `index` of a tuple or array; a variant in a variant is unpacked.
        /// Empty where the service sent something else than its interface says: then the readers below give their zero.
        func child(_ index: Int) -> Variant {
            guard g_variant_is_container(pointer) != 0, index < g_variant_n_children(pointer) else { return .tuple([]) }
            let child = Variant(owning: g_variant_get_child_value(pointer, gsize(index)))
            return child.has(type: "v") ? Variant(owning: g_variant_get_variant(child.pointer)) : child
        }

        /// A string or object path, else "".
        var string: String {
            guard has(type: "s") || has(type: "o"), let text = g_variant_get_string(pointer, nil) else { return "" }
            return String(cString: text)
        }

        /// The members of an array, as strings.
        var strings: [String] {
            guard g_variant_is_container(pointer) != 0 else { return [] }
            return (0..<Int(g_variant_n_children(pointer))).map { child($0).string }
        }

        /// The keys of a dictionary, as strings.
        var keys: [String] {
            guard g_variant_is_container(pointer) != 0 else { return [] }
            return (0..<Int(g_variant_n_children(pointer))).map { child($0).child(0).string }
        }

        /// The members of a dictionary of strings.
        var dictionary: [String: String] {
            guard g_variant_is_container(pointer) != 0 else { return [:] }
            let entries = (0..<Int(g_variant_n_children(pointer))).map { child($0) }
            return Dictionary(entries.map { ($0.child(0).string, $0.child(1).string) }) { first, _ in first }
        }

        /// The value of `key` in a dictionary whose keys are strings; empty when there is none.
        func value(of key: String) -> Variant {
            guard g_variant_is_container(pointer) != 0 else { return .tuple([]) }
            let entries = (0..<Int(g_variant_n_children(pointer))).lazy.map { self.child($0) }
            return entries.first { $0.child(0).string == key }?.child(1) ?? .tuple([])
        }

        /// A count, else 0.
        var count: UInt64 {
            has(type: "t") ? UInt64(g_variant_get_uint64(pointer)) : 0
        }

        /// A boolean, else nil.
        var boolean: Bool? {
            has(type: "b") ? g_variant_get_boolean(pointer) != 0 : nil
        }

        /// A number as D-Bus gives those of processes, else nil.
        var number: UInt32? {
            has(type: "u") ? g_variant_get_uint32(pointer) : nil
        }

        private func has(type: String) -> Bool {
            g_variant_get_type_string(pointer).map { String(cString: $0) } == type
        }
    }
#endif
