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

        static func strings(_ strings: [String: String]) -> Variant {
            array(of: "{ss}", strings.map { entry(.string($0), .string($1)) })
        }

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
            withExtendedLifetime(children) { Variant(owning: g_variant_new_tuple(children.map(\.pointer), gsize(children.count))) }
        }

        // MARK: Values from other processes

        /// This, which must be of `type`. `question` names the request in the error.
        func checked(_ type: String, as question: String) throws(SecretServiceError) -> Variant {
            guard has(type: type) else { throw .wrongAnswer(to: question, type: typeText, expected: type) }
            return self
        }

        func has(type: String) -> Bool { typeText == type }
        private var typeText: String { String(cString: g_variant_get_type_string(pointer)) }

        // For values whose type was checked. Another type traps: reading it as nothing would mean that something is absent.

        private func read<Value>(_ type: String, _ read: (OpaquePointer) -> Value) -> Value {
            precondition(has(type: type), "a value of type \(typeText) is read as one of type \(type)")
            return read(pointer)
        }

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

        private func children(_ type: String) -> some Collection<Variant> {
            read(type) { _ in (0..<count).lazy.map { self.child($0) } }
        }

        var string: String { read("s") { String(cString: g_variant_get_string($0, nil)) } }
        /// Never invalid: GDBus rejects such messages.
        var path: ObjectPath { read("o") { ObjectPath(String(cString: g_variant_get_string($0, nil))) ?? .nowhere } }
        var seconds: UInt64 { read("t") { UInt64(g_variant_get_uint64($0)) } }
        var boolean: Bool { read("b") { g_variant_get_boolean($0) != 0 } }
        var number: UInt32 { read("u") { g_variant_get_uint32($0) } }

        var strings: [String] { children("as").map(\.string) }
        var paths: [ObjectPath] { children("ao").map(\.path) }
        var keys: [String] { children("a{sv}").map { $0.child(0).string } }

        var dictionary: [String: String] {
            Dictionary(children("a{ss}").map { ($0.child(0).string, $0.child(1).string) }) { first, _ in first }
        }

        /// The value of `key` in a dictionary of values of any type, which must be of `type`; nil if there is none.
        func value(of key: String, _ type: String) throws(SecretServiceError) -> Variant? {
            try children("a{sv}").first { $0.child(0).string == key }?.child(1).checked(type, as: key)
        }
    }

    /// The path of an object on D-Bus, validated: for invalid text, GLib returns null where Swift expects a pointer.
    struct ObjectPath: Hashable, Sendable, ExpressibleByStringLiteral {
        let text: String

        init?(_ text: String) {
            guard g_variant_is_object_path(text) != 0 else { return nil }
            self.text = text
        }

        init(stringLiteral text: String) { self = ObjectPath(text)! }  // sound: they are paths, and tests use each

        /// The path by which a service says that there is no object.
        static let nowhere: ObjectPath = "/"

        /// The path of the collection that this is, or is an item of: /org/freedesktop/secrets/collection/<name>.
        var collection: ObjectPath {
            // Never nil: whole names of a path are a path.
            ObjectPath("/" + text.split(separator: "/").prefix(5).joined(separator: "/")) ?? .nowhere
        }

        func isInside(_ other: ObjectPath) -> Bool { self == other || text.hasPrefix("\(other.text)/") }
    }
#endif
