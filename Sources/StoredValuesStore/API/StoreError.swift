#if Store
    import FoundationEssentials
    public import StoredValues

    /// Why items could not be read or changed. A change that throws has changed nothing, in the file or in memory. Only after
    /// an I/O error of the disk may the change have been made; the file is then read again.
    public enum StoreError: Error, Equatable {
        /// There is no folder for the application's data; `reason` says why and what to do.
        case noFolder(reason: String)
        /// No file of the application can have this name: it is empty, or contains a slash or a NUL.
        case notName(String)
        /// The file could not be opened, read or written, or the user's quota is used up; `reason` names the cause and what to do.
        case notAccessible(path: String, reason: String)
        /// The file cannot be changed: its permissions or its file system do not allow it.
        case readOnly(path: String)
        /// The disk is full.
        case full(path: String)
        /// Another process, or another part of this one, has kept the database for this long; or another program has its write-ahead log open.
        case locked(path: String, after: Duration)
        /// The file is no database, or parts of it are damaged. It stays as it is.
        case damaged(path: String, reason: String)
        /// It is the database of another program. It stays as it is.
        case foreign(path: String)
        /// A newer version of this library made the file: version `stored` of its tables, of which this one knows `supported`.
        case newerFile(path: String, stored: Int, supported: Int)
        /// An item or its id could not be encoded.
        case notEncodable(store: String, reason: String)
        /// A newer version of the program wrote the item with this id, in JSON.
        case newerItem(store: String, id: String, stored: Int, supported: Int)
        /// The row with this id, in JSON, cannot be read, for this reason; no update puts another item in its place. See
        /// ``Store/unreadable``.
        case unreadableItem(store: String, id: String, reason: String)
        /// The closure of an update has changed the id of the item, which had this one, in JSON.
        case changedID(store: String, id: String)
        /// The task was cancelled before the change had begun.
        case cancelled
    }

    extension StoreError: StoredValuesError {
        /// What happened, to which file, and what to do, for the program's user.
        public var description: String {
            switch self {
            case .noFolder(let reason): "There is no folder for stored items, so nothing was stored: \(reason)"
            case .notName(let name): "\"\(name)\" cannot be the name of a file of items: it is empty, or contains a slash or a NUL. Choose another name."
            case .notAccessible(let path, let reason): "The items in \"\(path)\" are not accessible. \(reason)"
            case .readOnly(let path): "\"\(path)\" is read-only, and was not changed. Check the owner and mode of the file and of its folder, and how the file system is mounted."
            case .full(let path): "There is no room for a change of \"\(path)\", which stays as it is. Free some space, or raise the quota."
            case .locked(let path, let time): "Another program, or another part of this one, has kept \"\(path)\" locked for \(time); nothing was read or changed. Find it (fuser shows programs), and try again."
            case .damaged(let path, let reason): "\"\(path)\" is damaged, or no database: \(reason). It stays as it is. Put a copy of yours in its place, or move it away; \"stored-values store export\" gets out of it what can be read."
            case .foreign(let path): "\"\(path)\" is a database of another program. It stays as it is. Choose another file, or move it away."
            case .newerFile(let path, let stored, let supported): "A newer program made \"\(path)\" (version \(stored), this program knows up to \(supported)). Update this program."
            case .notEncodable(let store, let reason): "Nothing was changed: an item for \"\(store)\" cannot be encoded: \(reason). Report this to those who provide the program."
            case .newerItem(let store, let id, let stored, let supported): "Nothing was changed: a newer version of the program wrote the item \(id) of \"\(store)\" (its version is \(stored), this program knows up to \(supported)). Update the program."
            case .unreadableItem(let store, let id, let reason): "Nothing was changed: the item \(id) of \"\(store)\" is in the file, but cannot be read: \(reason). Report this to those who provide the program."
            case .changedID(let store, let id): "Nothing was changed: an update of the item \(id) of \"\(store)\" changed its id. Report this to those who provide the program."
            case .cancelled: "The task was cancelled before the items were read or changed."
            }
        }

        /// The description, then what only the programmer can do.
        public var debugDescription: String {
            switch self {
            case .noFolder: "\(self) A program names it with StoreFile(path:)."
            case .notEncodable: "\(self) Correct the item or its encode(to:)."
            case .changedID: "\(self) Remove the item, and insert it with its new id."
            case .unreadableItem: "\(self) Give the store a template that has what is missing, or remove the item: remove(id:)."
            case .newerItem: "\(self) Or remove it first: remove(id:)."
            default: description
            }
        }

        /// The status with which a command line program ends by this error, as `stored-values` does: a number of sysexits(3).
        public var exitStatus: Int32 {
            switch self {
            case .notName, .damaged, .foreign, .newerFile, .notEncodable, .newerItem, .unreadableItem, .changedID: 65
            case .notAccessible, .readOnly, .full: 74
            case .locked, .cancelled: 75
            case .noFolder: 78
            }
        }
    }
#endif
