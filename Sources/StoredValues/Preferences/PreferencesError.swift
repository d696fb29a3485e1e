import FoundationEssentials

/// Why preferences could not be saved, synced, read, named or removed, why a change was refused, or why an import failed.
public enum PreferencesError: Error, Equatable {
    /// Neither `HOME` nor `XDG_CONFIG_HOME` is set to an absolute path, so there is no folder for preferences.
    case noHomeFolder
    /// The environment variable that determines the folder is not UTF-8.
    case notUTF8(variable: String)
    /// The file could not be read, written or synced; `reason` names the file, the cause and what to do.
    case notSaved(path: String, reason: String)
    /// The file could not be read; `reason` names the file, the cause and what to do.
    case notRead(path: String, reason: String)
    /// Bringing the file to the disk takes longer than this. That continues, and unsaved values stay in memory.
    case timedOut(path: String, after: Duration)
    /// The task was cancelled. What had begun continues.
    case cancelled(path: String)
    /// Several changes were refused, for these reasons.
    case several([PreferencesError])
    /// The item could not be encoded. The change was not made: the old value stays.
    case notEncodable(key: String, path: String, reason: String)
    /// The key's validation refused the item, for this reason. The change was not made: the old value stays.
    case notValid(key: String, path: String, reason: String)
    /// With the new value the file would be larger than `limit` bytes, and could not be read again. The change was not made:
    /// the old value stays. Of several changes made as one, `key` is that of the largest value.
    case tooLarge(key: String, path: String, limit: Int)
    /// A newer version of the program wrote the value: version `stored` of its type, while this program knows versions up to
    /// `supported`. The change was not made: the stored value stays.
    case newerVersion(key: String, path: String, stored: Int, supported: Int)
    /// The environment variable `by` has the value of the key, which cannot be changed while the program runs. The change was not
    /// made.
    case overridden(key: String, by: String)
    /// No file of the application can have this name: it is empty, or contains a slash or a NUL.
    case notName(String)
    /// The UserDefaults in the file at `path` could not be read; `reason` says why and what to do. Nothing was imported.
    case notImported(path: String, reason: String)
}

extension PreferencesError: StoredValuesError {
    /// What happened, to which file, and what to do, for the program's user.
    public var description: String {
        switch self {
        case .noHomeFolder:
            "There is no folder for preferences: neither HOME nor XDG_CONFIG_HOME holds an absolute path. Values are kept in memory only. Set one of them, or name the file with STORED_VALUES_PREFERENCES. A program that runs with more rights than its user (setuid, setgid, file capabilities) ignores the environment."
        case .notUTF8(let variable):
            "There is no place for preferences: the environment variable \(variable) is not UTF-8. Values are kept in memory only. Set it to a path in UTF-8; a symbolic link can have one."
        case .notSaved(let path, let reason):
            "The preferences could not be saved to \"\(path)\". \(reason)"
        case .notRead(let path, let reason):
            "The preferences \"\(path)\" could not be read. \(reason)"
        case .timedOut(let path, let time):
            "\"\(path)\" was not on the disk within \(time); the work continues in the background, so what was to be changed may still be. Check whether the disk hangs (dmesg), and try again."
        case .cancelled(let path):
            "The task that brought \"\(path)\" to the disk was cancelled; the work continues in the background, so what was to be changed may still be. Try again to wait for it."
        case .several(let errors):
            "Several changes were refused (\(errors.count)). " + errors.map(\.description).joined(separator: " ")
        case .notEncodable(let key, let path, let reason):
            "The new value of \"\(key)\" for \"\(path)\" cannot be encoded, so the old one was kept: \(reason). Report this to those who provide the program."
        case .notValid(let key, let path, let reason):
            "The new value of \"\(key)\" for \"\(path)\" is not valid, so the old one was kept: \(reason). Set another value."
        case .tooLarge(let key, let path, let limit):
            "The new value of \"\(key)\" was not stored, and the old one was kept: with it \"\(path)\" would be larger than \(limit >> 20) MiB. Keep large data in separate files, and store only their paths here."
        case .newerVersion(let key, let path, let stored, let supported):
            "\"\(key)\" in \"\(path)\" was not changed: a newer version of the program wrote it (its version is \(stored), this program knows \(supported == 0 ? "none" : "up to \(supported)")). Update the program."
        case .overridden(let key, let variable):
            "\"\(key)\" was not changed: the environment variable \(variable) has its value. Change or unset the variable where the program is started, and start it again."
        case .notName(let name):
            "\"\(name)\" cannot be the name of a preferences file: it is empty, or contains a slash or a NUL. Choose another name."
        case .notImported(let path, let reason):
            "Nothing was imported from the UserDefaults in \"\(path)\". \(reason)"
        }
    }

    /// The description, then what only the programmer can do.
    public var debugDescription: String {
        switch self {
        case .noHomeFolder: "\(self) Such a program must name its file: PreferencesFile(path:)."
        case .timedOut, .cancelled: "\(self) flush(), in a task that is not cancelled, waits for it."
        case .several(let errors): "Several changes were refused (\(errors.count)). " + errors.map(\.debugDescription).joined(separator: " ")
        case .notEncodable: "\(self) Correct the item or its encode(to:)."
        case .newerVersion: "\(self) Or replace the value: set(_:overwritingNewer: true)."
        case .notUTF8, .notSaved, .notRead, .notValid, .tooLarge, .overridden, .notName, .notImported: description
        }
    }

    /// The status with which a command line program ends by this error, as `stored-values` does: a number of sysexits(3).
    public var exitStatus: Int32 {
        switch self {
        case .several, .notEncodable, .notValid, .tooLarge, .newerVersion, .notImported, .notName: 65
        case .notSaved, .notRead: 74
        case .timedOut, .cancelled: 75
        case .noHomeFolder, .notUTF8, .overridden: 78
        }
    }
}
