#if Store
    import StoredValues
    import StoredValuesFiles
    import StoredValuesSupport
    import Synchronization

    /// A file with stores of items: an SQLite database. One file can hold any number of stores.
    public struct StoreFile: Sendable, Hashable {
        enum Place: Sendable {
            /// A file of the application, located at its first use.
            case named(String)
            case path(String)
            case memory

            /// The file's path; nil if there is no file.
            var path: String? {
                get throws(StoreError) {
                    switch self {
                    case .named(let name):
                        do throws(PreferencesError) {
                            return "\(try PreferencesLocation.dataFolder(of: StorageSystem.applicationID))/\(name).sqlite"
                        } catch .notUTF8(let variable) {
                            throw .noFolder(reason: "the environment variable \(variable) is not UTF-8. Set it to a path in UTF-8, or name the file.")
                        } catch {
                            throw .noFolder(reason: "neither HOME nor XDG_DATA_HOME holds an absolute path. Set one of them, or name the file.")
                        }
                    case .path(let path): return path
                    case .memory: return nil
                    }
                }
            }
        }

        let place: Place
        /// Whether it is a file of the application, in whose place a temporary storage has another.
        var isNamed: Bool { if case .named = place { true } else { false } }
        /// Different for different files: the bytes of the name or path.
        let key: [UInt8]

        /// The application's items: `$XDG_DATA_HOME/<application id>/store.sqlite`, by default in `~/.local/share`.
        public static let standard = named("store")

        /// Another file of the application, such as one for each account: `named("ada")` is `$XDG_DATA_HOME/<application id>/ada.sqlite`.
        ///
        /// Traps if the name is empty or contains a slash. For a name that a user has chosen, use ``init(checkingName:)``.
        public static func named(_ name: String) -> StoreFile {
            requireProperUse(PreferencesLocation.isName(name), "StoreFile.named(\"\(name)\"): the name must not be empty or contain a slash; StoreFile(checkingName:) throws")
            return StoreFile(place: .named(name), key: Array("named \(name)".utf8))
        }

        /// ``named(_:)`` for a name that a user has chosen. Throws ``StoreError/notName(_:)`` if no file can have it.
        public init(checkingName name: String) throws(StoreError) {
            guard PreferencesLocation.isName(name) else { throw .notName(name) }
            self = .named(name)
        }

        /// The file at `path`; a relative path is resolved against the current working folder at once.
        ///
        /// A file that is also named in another way, as by a symbolic link, is opened twice, and each store learns of the other's changes as of another process's.
        public init(path: String) {
            requireProperUse(!path.isEmpty, "StoreFile(path: \"\(path)\"): the path must not be empty")
            let path = DurableFile(path: path).path
            self.init(place: .path(path), key: Array("path \(path)".utf8))
        }

        /// Items in memory only, for previews and tests: each call makes separate storage, released with its last store.
        public static func inMemory() -> StoreFile { StoreFile(place: .memory, key: Array("memory \(lastInMemory.add(1, ordering: .relaxed).newValue)".utf8)) }

        private static let lastInMemory = Atomic(0)

        private init(place: Place, key: [UInt8]) { (self.place, self.key) = (place, key) }

        /// The path of the file. Throws ``StoreError/noFolder(reason:)`` if the application has no folder.
        public var path: String {
            get throws(StoreError) { try place.path ?? "(in memory)" }
        }

        /// Whether both were named in the same way, byte for byte.
        public static func == (one: StoreFile, other: StoreFile) -> Bool { one.key == other.key }
        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) { hasher.combine(key) }
    }

    extension StoreFile: CustomStringConvertible {
        /// The path, or that there is none: it is in memory, as each file of the application is in `withTemporaryStorage`, or the application
        /// has no folder.
        ///
        /// It may be printed before `StorageSystem.bootstrap`: while the application's id may still change, one of its files is not located.
        public var description: String {
            if case .named(let name) = place {
                if TemporaryScope.current != nil { return "(in memory)" }
                guard StorageSystem.isSettled else { return "\(name).sqlite (not located yet)" }
            }
            return (try? path) ?? "(no folder)"
        }
    }
#endif
