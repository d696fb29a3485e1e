public import FoundationEssentials

/// Why preferences could not be brought to the disk, which ``PreferencesFile/flush()`` throws, or old ones not imported.
public enum PreferencesError: Error, Equatable {
    /// Neither `HOME` nor `XDG_CONFIG_HOME` says where preferences lie.
    case noHomeFolder
    /// The environment variable that says where preferences lie is not UTF-8.
    case notUTF8(variable: String)
    /// The file could not be read, written or synchronised; `reason` names the file, the cause and what to do.
    case notSaved(path: String, reason: String)
    /// The file could not be read; `reason` names the file, the cause and what to do.
    case notRead(path: String, reason: String)
    /// Bringing the file to the disk takes longer than this. It goes on, and what is not there yet stays in memory.
    case timedOut(path: String, after: Duration)
    /// The task was cancelled. What it had begun to bring to the disk goes on.
    case cancelled(path: String)
    /// Several changes were refused, for these reasons.
    case several([PreferencesError])
    /// An item refused to be encoded. The change was not made: the old value stands.
    case notEncodable(key: String, path: String, reason: String)
    /// The key's validation refused an item, for this reason. The change was not made: the old value stands.
    case notValid(key: String, path: String, reason: String)
    /// With the new value the file would be larger than `limit` bytes, and not be read again. The change was not made: the old
    /// value stands. Of several changes that are one, `key` is that of the largest value.
    case tooLarge(key: String, path: String, limit: Int)
    /// A newer version of the program wrote the value: version `stored` of its type, of which this one knows up to
    /// `supported`. The change was not made: what is stored stands.
    case newerVersion(key: String, path: String, stored: Int, supported: Int)
    /// What was stored with UserDefaults in the file at `path` could not be read; `reason` says why and what to do. Nothing was
    /// imported.
    case notImported(path: String, reason: String)
}

extension PreferencesError: CustomStringConvertible {
    /// What happened, to which file, and what to do.
    public var description: String {
        switch self {
        case .noHomeFolder:
            "There is no folder for preferences: neither HOME nor XDG_CONFIG_HOME holds an absolute path. Values are kept in memory only. Set one of them, or name the file with STORED_VALUES_PREFERENCES. A program with more rights than whoever starts it (setuid, setgid, file capabilities) ignores the environment: it names its file with PreferencesFile(path:)."
        case .notUTF8(let variable):
            "There is no place for preferences: the environment variable \(variable) is not UTF-8. Values are kept in memory only. Set it to a path in UTF-8; a symbolic link can have one."
        case .notSaved(let path, let reason):
            "The preferences are not safe in \"\(path)\"; they are kept in memory and tried again. \(reason)"
        case .notRead(let path, let reason):
            "The preferences \"\(path)\" could not be read. \(reason)"
        case .timedOut(let path, let time):
            "Bringing \"\(path)\" to the disk takes longer than \(time); it goes on in the background. Find out whether the disk hangs (dmesg), and call flush() again."
        case .cancelled(let path):
            "The task that was bringing \"\(path)\" to the disk was cancelled; it goes on in the background. Call flush() in a task that is not cancelled to wait for it."
        case .several(let errors):
            "Several changes were refused (\(errors.count)). " + errors.map(\.description).joined(separator: " ")
        case .notEncodable(let key, let path, let reason):
            "The new value of \"\(key)\" for \"\(path)\" cannot be encoded, so the old one was kept: \(reason). Correct the item or its encode(to:)."
        case .notValid(let key, let path, let reason):
            "The new value of \"\(key)\" for \"\(path)\" is not valid, so the old one was kept: \(reason). Set one that the key's validation takes."
        case .tooLarge(let key, let path, let limit):
            "The new value of \"\(key)\" was not stored, so the old one was kept: with it \"\(path)\" would be larger than \(limit >> 20) MiB. Keep large data in files of their own, and only where they are in here."
        case .newerVersion(let key, let path, let stored, let supported):
            "\"\(key)\" in \"\(path)\" was not changed: a newer version of the program wrote it (its version is \(stored), this program knows \(supported == 0 ? "none" : "up to \(supported)")). Update the program, or replace the value with set(_:overwritingNewer: true)."
        case .notImported(let path, let reason):
            "Nothing was imported from the UserDefaults in \"\(path)\". \(reason)"
        }
    }
}

extension PreferencesError: LocalizedError {
    /// The description, which is what `localizedDescription` says then.
    public var errorDescription: String? { description }
}
