import StoredValuesSupport

extension StorageSystem {
    /// Names the application, and the file and the keyring that it uses unless a wrapper names others; call it once, before any
    /// stored value is used.
    ///
    /// ```swift
    /// @main struct Editor {
    ///     static func main() {
    ///         let arguments = CommandLine.arguments
    ///         let config = arguments.firstIndex(of: "--config").flatMap { arguments.dropFirst($0 + 1).first }
    ///         StorageSystem.bootstrap(
    ///             applicationID: "com.example.Editor", preferences: config.map { PreferencesFile(path: $0) })
    ///     }
    /// }
    /// ```
    ///
    /// What is left out is as without this call. What is named wins over `STORED_VALUES_PREFERENCES` and
    /// `STORED_VALUES_KEYRING`. Nothing of it applies inside `withTemporaryStorage`.
    ///
    /// A bad name, a second call and a call after the first use trap. Making a file or a keyring to hand over is no use of it.
    ///
    /// - Parameters:
    ///   - applicationID: A name such as `com.example.Editor`, with no slash in it: the folder of the preferences below
    ///     `~/.config`, and the service of the secrets in the keyring. By default it is the executable's name, so that renaming
    ///     the program would lose its settings.
    ///   - preferences: What ``PreferencesFile/standard`` means. A ``PreferencesFile/init(path:)`` has the standard file's
    ///     system-wide defaults below it, a ``PreferencesFile/named(_:)`` its own. A file that cannot be opened behaves as it
    ///     does elsewhere: values stay in memory, the trouble is logged, and ``PreferencesFile/flush()`` throws it.
    ///   - keyring: What ``Keyring/system`` means.
    public static func bootstrap(
        applicationID: String? = nil, preferences: PreferencesFile? = nil, keyring: (any Keyring)? = nil
    ) {
        let arguments = [
            applicationID.map { "applicationID: \"\($0)\"" }, preferences.map { _ in "preferences: …" }, keyring.map { _ in "keyring: …" },
        ]
        let call = "StorageSystem.bootstrap(\(arguments.compactMap { $0 }.joined(separator: ", ")))"
        requireProperUse(
            preferences?.name?.isIdentical(to: PreferencesLocation.standardName) != true,
            "\(call): the standard file cannot be named by itself; leave it out, or hand over PreferencesFile(path:) or .named(_:)")
        requireProperUse(
            (keyring as? any StandInKeyring)?.asksSystem != true,
            "\(call): the system's keyring cannot be named by itself; leave it out, or hand over another, such as .secretService")
        let parts: [(any Sendable)?] = [preferences, keyring]
        begin(applicationID: applicationID, parts: parts.compactMap { $0 }, call: call)
    }
}
