#if Libsecret
    import CSecret

    /// The path of an object on D-Bus, validated: for invalid text, GLib returns null where Swift expects a pointer.
    struct ObjectPath: Hashable, Sendable, ExpressibleByStringLiteral {
        let text: String

        /// Nil if the text is not a path.
        init?(_ text: some StringProtocol) {
            let text = String(text)
            guard g_variant_is_object_path(text) != 0 else { return nil }
            self.text = text
        }

        /// A path in the source code.
        init(stringLiteral text: StaticString) {
            guard let path = ObjectPath(text.description) else { preconditionFailure("\(text) is no path") }
            self = path
        }

        /// The path by which a service says that there is no object.
        static let nowhere: ObjectPath = "/"

        /// The path of its first `count` names.
        func prefix(_ count: Int) -> ObjectPath {
            // Never nil: whole names of a path are a path.
            ObjectPath("/" + text.split(separator: "/").prefix(count).joined(separator: "/")) ?? .nowhere
        }

        /// The path of the enclosing object.
        var parent: ObjectPath { prefix(max(0, text.split(separator: "/").count - 1)) }

        /// Whether this is `other` or inside it.
        func isInside(_ other: ObjectPath) -> Bool { self == other || text.hasPrefix("\(other.text)/") }
    }
#endif
