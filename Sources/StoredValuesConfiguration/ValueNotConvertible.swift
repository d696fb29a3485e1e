#if Configuration
    public import Configuration
    public import FoundationEssentials

    /// A stored value was asked for as a type that it is not of.
    public struct ValueNotConvertible: Error, Hashable {
        /// Where the value lies.
        public enum Place: Sendable, Hashable {
            /// In the preferences at this path, or the system-wide defaults below them.
            case file(path: String)
            /// In the keyring.
            case keyring
        }

        /// The key, its components joined by dots.
        public let key: String
        /// The type that it was asked for as.
        public let type: ConfigType
        /// Where it lies.
        public let place: Place
    }

    extension ValueNotConvertible: CustomStringConvertible, LocalizedError {
        /// Which value, where it lies and what to do; never the value.
        public var description: String {
            switch place {
            case .file(let path):
                "\"\(key)\" in the preferences \"\(path)\" is no \(type). Ask for the type that it was stored as, or correct the file."
            case .keyring:
                "The secret \"\(key)\" in the keyring is no \(type). Ask for the type that it was stored as, or store it anew."
            }
        }

        /// The description, which is what `localizedDescription` says then.
        public var errorDescription: String? { description }
    }
#endif
