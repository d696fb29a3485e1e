/// What ``PreferencesFile/importUserDefaults(named:key:)`` did with each key, for a log or a test.
public struct UserDefaultsImport: Sendable, Hashable {
    /// How far the import got.
    public enum Status: Sendable, Hashable {
        /// Each key was handled; see ``UserDefaultsImport/keys``.
        case done
        /// The import was done before, by this process or another, and nothing was read now.
        case doneBefore
        /// There is no such file, so there is nothing to import yet.
        case noFile
    }

    /// What became of one key.
    public enum Outcome: Sendable, Hashable {
        /// Its value is now stored under the key `as`.
        case imported(as: String, from: Form)
        /// It was not imported.
        case skipped(Reason)
    }

    /// The form of the value in UserDefaults.
    public enum Form: String, Sendable, Hashable {
        /// A string, number, Boolean, date, list or dictionary. Data in a list or dictionary became base64 text.
        case plain = "a plain value"
        /// Data that held JSON.
        case json = "JSON in data"
        /// Data that held JSON in the form `{"value": …}`, as Boutique stores it; only the value in the box was imported.
        case boxedJSON = "boxed JSON in data"
        /// Data that held a property list.
        case propertyList = "a property list in data"
        /// Any other data, which became base64 text, like a stored `Data`.
        case data = "data"
    }

    /// Why a key was not imported.
    public enum Reason: String, Sendable, Hashable {
        /// A value is already stored here under that key.
        case alreadyStored = "something is stored under that key already"
        /// The program excluded it: the `key` closure returned nil for it.
        case excluded = "the program excludes it"
        /// A key here must not be empty or begin with `$`.
        case unusableKey = "a key must not be empty or begin with $"
        /// It is an object that `NSKeyedArchiver` archived, which only Foundation can read.
        case archivedObject = "it is an archived object (NSKeyedArchiver), which only Foundation can read: read it there and set it here"
        /// It is nested too deeply to be stored.
        case tooDeep = "it is nested too deeply to be stored"
    }

    /// The property list.
    public let path: String
    /// How far the import got.
    public let status: Status
    /// Each key of the property list and what became of it.
    public let keys: [String: Outcome]
}

extension UserDefaultsImport: CustomStringConvertible {
    /// A report with a line for each key. It contains no values.
    public var description: String {
        switch status {
        case .noFile: "There are no UserDefaults in \"\(path)\"."
        case .doneBefore: "The UserDefaults in \"\(path)\" were imported before."
        case .done: (["Imported UserDefaults from \"\(path)\":"] + lines).joined(separator: "\n")
        }
    }

    private var lines: [String] {
        keys.sorted { $0.key < $1.key }.map { key, outcome in
            switch outcome {
            case .imported(let newKey, let form):
                "  \"\(key)\" was imported\(newKey == key ? "" : " as \"\(newKey)\"") (\(form.rawValue))"
            case .skipped(let reason): "  \"\(key)\" was skipped: \(reason.rawValue)"
            }
        }
    }
}
