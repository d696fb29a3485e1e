/// Where a value comes from: the first of these places that has one.
public enum ValueSource: Sendable {
    /// A variable of the environment, where `StorageSystem.bootstrap` was given a prefix for them. Only
    /// ``PreferencesFile/standard`` has them. Such a value cannot be changed; see <doc:ServiceEnvironment>.
    case environment
    /// The memory of this process only: the value could not be saved yet, or the file is ``PreferencesFile/inMemory(_:)``. It is
    /// lost when the process ends.
    case memory
    /// The preferences file itself.
    case file
    /// The settings that this machine shares with others, in the file that the fleet's agent keeps:
    /// `<folder>/<application id>/preferences.json`, where the folder is `$STORED_VALUES_FLEET`, by default
    /// `/var/lib/stored-values/fleet`. Only ``PreferencesFile/standard`` has them. They are never written, and take precedence over
    /// ``system``.
    case fleet
    /// The system-wide defaults: `<folder>/<application id>/preferences.json` for each folder in `$XDG_CONFIG_DIRS`, by default
    /// `/etc/xdg`, earlier folders first (XDG Base Directory Specification 0.8). They are never written.
    case system
    /// The default in the program's code.
    case code
}

/// A kind of layer: a file of values below the user's own, which programs only read.
struct LayerKind: Sendable {
    let source: ValueSource
    /// What its values are called in errors.
    let name: String
    /// What to do about a file that is not JSON, as a sentence.
    var cure = "Correct the file."
    /// A checksum of the file's bytes. Where others report how fresh the file is, they identify its content by this number, and every
    /// replacement must be noticed.
    var digest: (@Sendable ([UInt8]) -> UInt64)?

    static let systemWide = LayerKind(source: .system, name: "the system-wide preferences")
}
