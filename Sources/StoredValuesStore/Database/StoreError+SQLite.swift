#if Store
    import GRDB
    import StoredValuesFiles
    import StoredValuesSupport

    extension StoreError {
        init(_ error: DatabaseError, path: String) {
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path, after: Turns.timeout)
            case .SQLITE_FULL: self = .full(path: path)
            case .SQLITE_READONLY where error.extendedResultCode == .SQLITE_READONLY_DBMOVED:
                self = .notAccessible(path: path, reason: "It was moved, replaced or removed during the change, which was not made. Try again.")
            case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(path: path)
            case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path: path, reason: Self.text(error))
            default: self = .notAccessible(path: path, reason: "\(Self.text(error)). Check the file, its folder, the disk and your quota.")
            }
        }

        /// Any error of a read or a change but a user's own.
        init(any error: any Error, path: String) {
            switch error {
            case let error as StoreError: self = error
            case let error as DatabaseError: self.init(error, path: path)
            // The first change makes the file, before SQLite could say the same of it.
            case let error as FileError where error.isOfCreation && error.code == .noSpace: self = .full(path: path)
            case let error as FileError where error.isOfCreation && error.code == .readOnly: self = .readOnly(path: path)
            case is Turns.TimedOut: self = .locked(path: path, after: Turns.timeout)
            case is CancellationError: self = .cancelled
            default: self = .notAccessible(path: path, reason: "\(error)")
            }
        }

        /// SQLite's words and number, without what was to be stored.
        private static func text(_ error: DatabaseError) -> String {
            "SQLite: \(error.message ?? "error") (\(error.extendedResultCode.rawValue))"
        }
    }

    extension FileError {
        fileprivate var isOfCreation: Bool { operation == .create || operation == .createFolder }
    }
#endif
