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
    /// Arguments that are omitted keep their defaults. Arguments that are given take precedence over
    /// `STORED_VALUES_PREFERENCES` and `STORED_VALUES_KEYRING`. None applies inside `withTemporaryStorage`.
    ///
    /// With a prefix, environment variables override values of the standard file: with `EDITOR_`, `maxConnections` has the value of
    /// `EDITOR_MAX_CONNECTIONS`, if that is set. See <doc:ServiceEnvironment>.
    ///
    /// Traps on an invalid name or prefix, on a second call, and after the first use. Making a file or a keyring to pass here does not
    /// count as use.
    ///
    /// - Parameters:
    ///   - applicationID: A name such as `com.example.Editor`, without a slash: the folder of the preferences below
    ///     `~/.config`, and the service of the secrets in the keyring. The default is the executable's name, so renaming the
    ///     program would lose its settings.
    ///   - preferences: The file that ``PreferencesFile/standard`` means; passing that itself is the same as omitting the argument. A
    ///     ``PreferencesFile/init(path:)`` falls back to the standard file's system-wide defaults, a ``PreferencesFile/named(_:)`` to its own.
    ///     Both look first in the settings that this machine shares with others (``ValueSource``). If the file cannot be opened, values stay
    ///     in memory, the error is logged, and ``PreferencesFile/flush()`` throws it.
    ///   - keyring: The keyring that ``Keyring/system`` means.
    ///   - environmentPrefix: What the names of variables begin with, such as `EDITOR_`: ASCII letters, digits and underscores. It must not
    ///     begin with a digit or with `STORED_VALUES_`. The variables are copied by this call.
    public static func bootstrap(
        applicationID: String? = nil, preferences: PreferencesFile? = nil, keyring: (any Keyring)? = nil,
        environmentPrefix: String? = nil
    ) {
        let arguments = [
            applicationID.map { "applicationID: \"\($0)\"" }, preferences.map { _ in "preferences: …" }, keyring.map { _ in "keyring: …" },
            environmentPrefix.map { "environmentPrefix: \"\($0)\"" },
        ]
        let call = "StorageSystem.bootstrap(\(arguments.compactMap { $0 }.joined(separator: ", ")))"
        requireProperUse(
            keyring?.asksSystem != true,
            "\(call): .system cannot stand for itself; omit the argument, or pass another keyring, such as .secretService")
        requireProperUse(
            environmentPrefix.map(EnvironmentVariables.isPrefix) ?? true,
            "\(call): the prefix must consist of ASCII letters, digits and underscores, not begin with a digit, and not be that of the library")
        // The standard file as it is without the argument: a user may have chosen its name.
        let isStandard = preferences?.name?.isIdentical(to: PreferencesLocation.standardName) == true
        let parts: [(any Sendable)?] = [isStandard ? nil : preferences, keyring, environmentPrefix.map { EnvironmentVariables(prefix: $0) }]
        begin(applicationID: applicationID, parts: parts.compactMap { $0 }, call: call)
        // A handle on the file itself must have what lies above and below the standard file, too.
        if let preferences, preferences.name == nil { _ = OpenStores.shared.application(PreferencesLocation.standardName) }
    }
}
