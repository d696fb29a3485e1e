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

        deinit { g_variant_unref(pointer) }

        static func string(_ text: String) -> Variant { Variant(owning: g_variant_new_string(text)) }
        static func uint32(_ number: UInt32) -> Variant { Variant(owning: g_variant_new_uint32(number)) }

        /// The file descriptor at `index` in the message's list.
        static func descriptor(_ index: Int32) -> Variant { Variant(owning: g_variant_new_handle(index)) }

        static func boolean(_ value: Bool) -> Variant { Variant(owning: g_variant_new_boolean(value ? 1 : 0)) }
        static func path(_ path: ObjectPath) -> Variant { Variant(owning: g_variant_new_object_path(path.text)) }
        static func paths(_ paths: [ObjectPath]) -> Variant { array(of: "o", paths.map(path)) }

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
            // The children's own references are released when this returns; the array has taken its own.
            return withExtendedLifetime(children) { Variant(owning: g_variant_new_array(type, pointers, gsize(pointers.count))) }
        }

        static func tuple(_ children: [Variant]) -> Variant {
            withExtendedLifetime(children) {
                Variant(owning: g_variant_new_tuple(children.map(\.pointer), gsize(children.count)))
            }
        }

        // MARK: Values from other processes

        /// This, if it is of `type`; throws otherwise. `question` names the request in the error.
        func checked(_ type: String, as question: String) throws(SecretServiceError) -> Variant {
            guard has(type: type) else { throw .wrongAnswer(to: question, type: typeText, expected: type) }
            return self
        }

        /// Whether this has the D-Bus type `type`.
        func has(type: String) -> Bool { typeText == type }

        private var typeText: String { String(cString: g_variant_get_type_string(pointer)) }

        // The following is for values whose type was checked. Another type traps: reading it as nothing would mean that
        // something is absent.

        private func require(_ type: String) {
            precondition(has(type: type), "a value of type \(typeText) is read as one of type \(type)")
        }

        /// The number of members of a tuple or array.
        var count: Int {
            precondition(g_variant_is_container(pointer) != 0, "a value of type \(typeText) has no members")
            return Int(g_variant_n_children(pointer))
        }

        /// The member at `index` of a tuple or array; a variant is unpacked.
        func child(_ index: Int) -> Variant {
            precondition(index < count, "a value of type \(typeText) has no member \(index)")
            let child = Variant(owning: g_variant_get_child_value(pointer, gsize(index)))
            return child.has(type: "v") ? Variant(owning: g_variant_get_variant(child.pointer)) : child
        }

        private var children: some Collection<Variant> { (0..<count).lazy.map { self.child($0) } }

        var string: String {
            require("s")
            return String(cString: g_variant_get_string(pointer, nil))
        }

        var path: ObjectPath {
            require("o")
            // Never nil: GDBus rejects other messages.
            return ObjectPath(String(cString: g_variant_get_string(pointer, nil))) ?? .nowhere
        }

        var strings: [String] {
            require("as")
            return children.map(\.string)
        }

        var paths: [ObjectPath] {
            require("ao")
            return children.map(\.path)
        }

        /// A dictionary of strings.
        var dictionary: [String: String] {
            require("a{ss}")
            return Dictionary(children.map { ($0.child(0).string, $0.child(1).string) }) { first, _ in first }
        }

        /// The keys of a dictionary of values of any type.
        var keys: [String] {
            require("a{sv}")
            return children.map { $0.child(0).string }
        }

        /// The value of `key` in a dictionary of values of any type, which must be of `type`; nil if there is none.
        func value(of key: String, _ type: String) throws(SecretServiceError) -> Variant? {
            require("a{sv}")
            return try children.first { $0.child(0).string == key }?.child(1).checked(type, as: key)
        }

        /// A time in seconds.
        var seconds: UInt64 {
            require("t")
            return UInt64(g_variant_get_uint64(pointer))
        }

        var boolean: Bool {
            require("b")
            return g_variant_get_boolean(pointer) != 0
        }

        /// A process number.
        var number: UInt32 {
            require("u")
            return g_variant_get_uint32(pointer)
        }
    }
#endif
