#if Configuration
    public import Configuration
    public import FoundationEssentials

    /// A stored value does not have the requested type.
    public struct ValueNotConvertible: Error, Hashable {
        /// Where the value is stored.
        public enum Place: Sendable, Hashable {
            /// In the preferences at this path, or the system-wide defaults below them.
            case file(path: String)
            /// In the keyring.
            case keyring
        }

        /// The key, its components joined by dots.
        public let key: String
        /// The requested type.
        public let type: ConfigType
        /// Where the value is stored.
        public let place: Place
    }

    extension ValueNotConvertible: CustomStringConvertible, LocalizedError {
        /// Which value, where it is stored and what to do; never the value.
        public var description: String {
            switch place {
            case .file(let path):
                "\"\(key)\" in the preferences \"\(path)\" cannot be read as \(type). Request the type it was stored as, or correct the file."
            case .keyring:
                "The secret \"\(key)\" in the keyring cannot be read as \(type). Request the type it was stored as, or store it again."
            }
        }

        /// The description, which is what `localizedDescription` says then.
        public var errorDescription: String? { description }
    }
#endif
