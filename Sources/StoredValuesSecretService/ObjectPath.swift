#if Libsecret
    import CSecret

    /// The path of an object on D-Bus, which was checked: given another text, GLib returns nothing where Swift expects a pointer.
    struct ObjectPath: Hashable, Sendable, ExpressibleByStringLiteral {
        let text: String

        /// Nil for a text that is no path.
        init?(_ text: some StringProtocol) {
            let text = String(text)
            guard g_variant_is_object_path(text) != 0 else { return nil }
            self.text = text
        }

        /// A path that stands in the source.
        init(stringLiteral text: StaticString) {
            guard let path = ObjectPath(text.description) else { preconditionFailure("\(text) is no path") }
            self = path
        }

        /// By which a service says that there is no object.
        static let nowhere: ObjectPath = "/"

        /// The first `count` names of this one.
        func prefix(_ count: Int) -> ObjectPath {
            // Never nil: whole names of a path are a path.
            ObjectPath("/" + text.split(separator: "/").prefix(count).joined(separator: "/")) ?? .nowhere
        }

        /// The path of what this lies in.
        var parent: ObjectPath { prefix(max(0, text.split(separator: "/").count - 1)) }

        /// Whether this is `other` or lies in it.
        func isInside(_ other: ObjectPath) -> Bool { self == other || text.hasPrefix("\(other.text)/") }
    }
#endif
