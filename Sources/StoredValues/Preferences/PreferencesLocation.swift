import StoredValuesSupport

/// The paths of preferences, by the XDG Base Directory Specification 0.8.
package enum PreferencesLocation {
    /// The path of the application's file `name`: `$XDG_CONFIG_HOME/<application id>/<name>.json`.
    ///
    /// `STORED_VALUES_PREFERENCES` names another path for the standard file, and all others are beside that. A relative
    /// `XDG_CONFIG_HOME` is ignored, as the specification requires. Throws if none of these nor `HOME` is set, or if the variable
    /// used is not UTF-8.
    static func path(of name: String) throws(PreferencesError) -> String {
        if let path = try variable("STORED_VALUES_PREFERENCES"), !path.isEmpty {
            if name.isIdentical(to: standardName) { return path }
            // With the stem, programs whose standard files share a folder have different files of one name, and none is the standard file
            // itself. A file that is called `.json` has no other name.
            return "\(path.parts(separatedBy: "/").last == ".json" ? path : stem(of: path)).\(name).json"
        }
        return "\(try configurationFolder)/\(StorageSystem.applicationID)/\(name).json"
    }

    static let standardName = "preferences"

    /// Whether the application can have a file of this name.
    package static func isName(_ name: String) -> Bool { !name.isEmpty && !name.has("/") && !name.has("\0") }

    /// The paths of the system-wide files below the application's file `name`, by precedence:
    /// `<folder>/<application id>/<name>.json` for each folder in `XDG_CONFIG_DIRS`, by default `/etc/xdg` alone.
    static func layers(of name: String) -> [String] {
        folders("XDG_CONFIG_DIRS", "/etc/xdg").map { "\($0)/\(StorageSystem.applicationID)/\(name).json" }
    }

    /// The absolute ones of the folders in a variable, or of the standard ones if it is not set.
    private static func folders(_ variable: String, _ standard: String) -> [String] {
        let named: String
        do { named = try environmentVariable(variable) ?? "" } catch { return [] }  // then there are none
        return (named.isEmpty ? standard : named).parts(separatedBy: ":").filter { $0.begins(with: "/") }
    }

    /// The path of the schema of the file `name` of an application: `$XDG_DATA_HOME/<application id>/<name>.schema.json`.
    static func schema(of name: String, _ application: String) throws(PreferencesError) -> String {
        "\(try dataFolder(of: application))/\(name).schema.json"
    }

    /// The folder of an application's data: `$XDG_DATA_HOME/<application id>`, by default in `~/.local/share`.
    package static func dataFolder(of application: String) throws(PreferencesError) -> String {
        "\(try folder("XDG_DATA_HOME", ".local/share"))/\(application)"
    }

    /// The paths of schemas of that file that are installed, by precedence: the same in each folder in `XDG_DATA_DIRS`, by default
    /// `/usr/local/share` and `/usr/share`.
    static func installedSchemas(of name: String, _ application: String) -> [String] {
        folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share").map { "\($0)/\(application)/\(name).schema.json" }
    }

    /// The name of the application whose file is at `path`, and that of the file; nil if it is in no application's folder.
    static func application(ofFileAt path: String) -> (id: String, name: String)? {
        guard let folder = try? configurationFolder, let rest = path.after(prefix: "\(folder)/") else { return nil }
        let parts = rest.parts(separatedBy: "/")
        return parts.count == 2 ? (parts[0], stem(of: parts[1])) : nil
    }

    /// The name or path without `.json` at its end.
    static func stem(of path: String) -> String {
        guard let stem = path.before(suffix: ".json"), !stem.isEmpty else { return path }
        return stem
    }

    /// The path of Foundation's `UserDefaults` of that name. Seen with Swift 6.3, where `.standard` is named after the executable.
    static func userDefaults(_ name: String) throws(PreferencesError) -> String { "\(try configurationFolder)/\(name).plist" }

    package static var configurationFolder: String {
        get throws(PreferencesError) { try folder("XDG_CONFIG_HOME", ".config") }
    }

    /// The folder that a variable names, else this one in the home folder.
    private static func folder(_ name: String, _ standard: String) throws(PreferencesError) -> String {
        if let folder = try variable(name), folder.begins(with: "/") { return folder }
        guard let home = try variable("HOME"), home.begins(with: "/") else { throw .noHomeFolder }
        return "\(home)/\(standard)"
    }

    private static func variable(_ name: String) throws(PreferencesError) -> String? {
        do { return try environmentVariable(name) } catch { throw .notUTF8(variable: name) }
    }
}
