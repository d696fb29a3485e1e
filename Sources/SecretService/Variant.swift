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

        static func paths(_ paths: [String]) -> Variant {
            let children: [OpaquePointer?] = paths.map { g_variant_new_object_path($0) }
            let type = g_variant_type_new("o")
            defer { g_variant_type_free(type) }
            return Variant(owning: g_variant_new_array(type, children, gsize(children.count)))
        }

        static func tuple(_ children: [Variant]) -> Variant {
            Variant(owning: g_variant_new_tuple(children.map(\.pointer), gsize(children.count)))
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
