#if Store
    import GRDB

    extension StoreError {
        init(_ error: DatabaseError, path: String) {
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path, after: Turns.timeout)
            case .SQLITE_FULL: self = .full(path: path)
            case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(path: path)
            case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .damaged(path: path, reason: Self.text(error))
            default: self = .notAccessible(path: path, reason: "\(Self.text(error)). Check the file, its folder and the disk.")
            }
        }

        /// Any error of a change: those of SQLite and of files are of this type already.
        init(any error: any Error, path: String) {
            self = error as? StoreError ?? .notAccessible(path: path, reason: "\(error)")
        }

        /// SQLite's words and number, without what was to be stored.
        private static func text(_ error: DatabaseError) -> String {
            "SQLite: \(error.message ?? "error") (\(error.extendedResultCode.rawValue))"
        }
    }
#endif
