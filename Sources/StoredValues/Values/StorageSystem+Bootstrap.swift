import StoredValuesSupport

extension StorageSystem {
    /// Names the application, and the file and keyring that its wrappers use by default. Call it once, before any stored value
    /// is used.
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
    /// Arguments that are omitted leave their default. Arguments that are given take precedence over
    /// `STORED_VALUES_PREFERENCES` and `STORED_VALUES_KEYRING`. None applies inside `withTemporaryStorage`.
    ///
    /// Traps on an invalid name, on a second call, and after the first use. Making a file or a keyring to pass here does not
    /// count as use.
    ///
    /// - Parameters:
    ///   - applicationID: A name such as `com.example.Editor`, without a slash: the folder of the preferences below
    ///     `~/.config`, and the service of the secrets in the keyring. The default is the executable's name, so renaming the
    ///     program would lose its settings.
    ///   - preferences: The file that ``PreferencesFile/standard`` means. A ``PreferencesFile/init(path:)`` falls back to the
    ///     standard file's system-wide defaults, a ``PreferencesFile/named(_:)`` to its own, and both to the settings that this
    ///     machine shares with others before these (``ValueSource``). If the file cannot be opened, values stay in memory, the error is logged, and
    ///     ``PreferencesFile/flush()`` throws it.
    ///   - keyring: The keyring that ``Keyring/system`` means.
    public static func bootstrap(
        applicationID: String? = nil, preferences: PreferencesFile? = nil, keyring: (any Keyring)? = nil
    ) {
        let arguments = [
            applicationID.map { "applicationID: \"\($0)\"" }, preferences.map { _ in "preferences: …" }, keyring.map { _ in "keyring: …" },
        ]
        let call = "StorageSystem.bootstrap(\(arguments.compactMap { $0 }.joined(separator: ", ")))"
        requireProperUse(
            preferences?.name?.isIdentical(to: PreferencesLocation.standardName) != true,
            "\(call): .standard cannot stand for itself; omit the argument, or pass PreferencesFile(path:) or .named(_:)")
        requireProperUse(
            keyring?.asksSystem != true,
            "\(call): .system cannot stand for itself; omit the argument, or pass another keyring, such as .secretService")
        let parts: [(any Sendable)?] = [preferences, keyring]
        begin(applicationID: applicationID, parts: parts.compactMap { $0 }, call: call)
    }
}
