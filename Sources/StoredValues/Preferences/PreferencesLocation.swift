import StoredValuesSupport

/// The paths of preferences, by the XDG Base Directory Specification 0.8.
enum PreferencesLocation {
    /// The path of the application's file `name`: `$XDG_CONFIG_HOME/<application id>/<name>.json`.
    ///
    /// `STORED_VALUES_PREFERENCES` names another path for the standard file, and all others are beside that. A relative
    /// `XDG_CONFIG_HOME` is ignored, as the specification requires. Throws if none of these nor `HOME` is set, or if the variable
    /// used is not UTF-8.
    static func path(of name: String) throws(PreferencesError) -> String {
        if let path = try variable("STORED_VALUES_PREFERENCES"), !path.isEmpty {
            return name.isIdentical(to: standardName) ? path : self.path(of: name, beside: path)
        }
        return "\(try configurationFolder)/\(StorageSystem.applicationID)/\(name).json"
    }

    /// `<stem>.<name>.json` beside the standard file at `path`. With the stem, programs whose standard files share a folder have
    /// different files of one name, and none is the standard file itself.
    private static func path(of name: String, beside path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let file = path[(slash.map { path.utf8.index(after: $0) } ?? path.startIndex)...]
        let isJSON = file.utf8.count > 5 && file.utf8.reversed().starts(with: ".json".utf8.reversed())
        return "\(isJSON ? String(Substring(path.utf8.dropLast(5))) : path).\(name).json"
    }

    static let standardName = "preferences"

    /// Whether the application can have a file of this name.
    static func isName(_ name: String) -> Bool { !name.isEmpty && !name.has("/") && !name.has("\0") }

    /// The paths of the system-wide files below the application's file `name`, by precedence:
    /// `<folder>/<application id>/<name>.json` for each folder in `XDG_CONFIG_DIRS`, by default `/etc/xdg` alone.
    static func layers(of name: String) -> [String] {
        let variable: String
        do { variable = try environmentVariable("XDG_CONFIG_DIRS") ?? "" } catch { return [] }  // then there are none
        let folders = (variable.isEmpty ? "/etc/xdg" : variable).parts(separatedBy: ":")
        return folders.filter { $0.begins(with: "/") }.map { "\($0)/\(StorageSystem.applicationID)/\(name).json" }
    }

    /// The path of Foundation's `UserDefaults` of that name on Linux. Seen with Swift 6.3, where `.standard` is named after the
    /// executable.
    static func userDefaults(_ name: String) throws(PreferencesError) -> String { "\(try configurationFolder)/\(name).plist" }

    private static var configurationFolder: String {
        get throws(PreferencesError) {
            if let folder = try variable("XDG_CONFIG_HOME"), folder.begins(with: "/") { return folder }
            guard let home = try variable("HOME"), home.begins(with: "/") else { throw .noHomeFolder }
            return home + "/.config"
        }
    }

    private static func variable(_ name: String) throws(PreferencesError) -> String? {
        do { return try environmentVariable(name) } catch { throw .notUTF8(variable: name) }
    }
}
