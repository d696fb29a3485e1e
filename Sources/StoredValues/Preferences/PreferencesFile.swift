import StoredValuesFiles
import StoredValuesSupport

/// A file of values that people can read and edit: one JSON object, a member per key.
///
/// Every handle on one file of this process sees the same values at once, however its path is spelled.
public struct PreferencesFile: Sendable {
    private enum Place {
        /// A file of the application, found when it is first used: by then ``StorageSystem/bootstrap(applicationID:)`` ran.
        case named(String, madeIn: TemporaryScope?)
        case open(OpenPreferences)
    }

    private let place: Place

    /// The application's preferences: `$XDG_CONFIG_HOME/<application id>/preferences.json`, by default in `~/.config`;
    /// or the file that the environment variable `STORED_VALUES_PREFERENCES` names.
    ///
    /// Below it lie the system-wide defaults: `<folder>/<application id>/preferences.json` for each folder in
    /// `$XDG_CONFIG_DIRS`, by default `/etc/xdg`, earlier folders over later ones (XDG Base Directory Specification 0.8).
    /// They are never written; ``StoredValue/reset()`` uncovers them.
    public static let standard = PreferencesFile(place: .named(PreferencesLocation.standardName, madeIn: nil))

    /// Another file beside the standard one: `named("editor")` is `editor.json`, with system-wide
    /// defaults of that name below it.
    ///
    /// An empty name and one with a slash end the program.
    public static func named(_ name: String) -> PreferencesFile {
        requireProperUse(
            !name.isEmpty && !name.has("/") && !name.has("\0"),
            "PreferencesFile.named(\"\(name)\"): the name must not be empty or contain a slash; PreferencesFile(path:) takes a path")
        return PreferencesFile(place: .named(name, madeIn: .current))
    }

    /// The file at `path`; a relative one begins at the folder the process works in now.
    public init(path: String) {
        requireProperUse(!path.isEmpty && !path.has("\0"), "PreferencesFile(path: \"\(path)\"): the path must not be empty")
        place = .open(OpenFiles.shared.open(path))
    }

    private init(place: Place) {
        self.place = place
    }

    /// A handle on `preferences`. Tests open one file twice with it, as two processes would.
    init(_ preferences: OpenPreferences) {
        preferences.finishOpening()
        place = .open(preferences)
    }

    /// The open file behind this handle, in the task that asks.
    var preferences: OpenPreferences {
        switch place {
        case .named(let name, let scope):
            (TemporaryScope.current ?? scope).map { Self.preferences(name, in: $0) } ?? OpenFiles.shared.application(name)
        case .open(let preferences): preferences
        }
    }

    /// The temporary scope that this handle's file lies in, for an operation of a wrapper that was made in `scope`.
    func temporaryScope(orElse scope: TemporaryScope?) -> TemporaryScope? {
        guard case .named(_, let ownScope) = place else { return nil }
        return TemporaryScope.current ?? scope ?? ownScope
    }

    /// The open file behind this handle in `scope`.
    func preferences(in scope: TemporaryScope) -> OpenPreferences {
        guard case .named(let name, _) = place else { return preferences }
        return Self.preferences(name, in: scope)
    }

    private static func preferences(_ name: String, in scope: TemporaryScope) -> OpenPreferences {
        scope.object("preferences \(name)") { PreferencesFile(path: "\(scope.folder)/\(name).json").preferences }
    }

    /// Where the values lie.
    public var path: String { preferences.path }

    /// The keys of all stored values, sorted, whoever declared them. Never the layers below: only this file's.
    public var keys: [String] { preferences.keys }

    /// Returns when every change made before it would survive a power cut (`fsync` of the file and its folder).
    ///
    /// Throws ``PreferencesError`` when that cannot be had, and for changes since the last call that were refused. What
    /// could not be written stays in memory and is tried again.
    public func flush() async throws(PreferencesError) {
        try await preferences.flush()
    }

    /// Runs `changes` and writes all that the calling thread changes in it with one replacement of the file.
    ///
    /// Each change is seen at once by every wrapper in this process; waiting streams and observers are told when the batch is
    /// written, and a snapshot that swift-configuration takes on another thread holds the whole batch or none of it. No
    /// other thread or process changes the file in between. When `changes` throws, the changes that it had made are written
    /// all the same.
    public func batch<Result, Failure>(_ changes: () throws(Failure) -> Result) throws(Failure) -> Result {
        try preferences.batch(changes)
    }
}

/// The preferences files that this process has open: one for each real path.
private final class OpenFiles: Sendable {
    static let shared = OpenFiles()

    private struct Weak {
        weak var preferences: OpenPreferences?
    }

    private struct State {
        /// By the path's bytes, as the system tells files apart: two that look alike are two.
        var byPath: [[UInt8]: Weak] = [:]
        /// The application's own files stay open.
        var byName: [[UInt8]: OpenPreferences] = [:]
    }

    private let state = Guarded(State())

    func open(_ path: String) -> OpenPreferences {
        let preferences = state.withLock { Self.open(path, &$0) }
        preferences.finishOpening()
        return preferences
    }

    func application(_ name: String) -> OpenPreferences {
        let (preferences, isNew) = state.withLock { state -> (OpenPreferences, Bool) in
            if let preferences = state.byName[Array(name.utf8)] { return (preferences, false) }
            let preferences: OpenPreferences
            do throws(PreferencesError) {
                preferences = Self.open(try PreferencesLocation.path(of: name), &state)
            } catch {
                preferences = OpenPreferences(.failure(error))
            }
            preferences.addLayers(PreferencesLocation.layers(of: name))
            state.byName[Array(name.utf8)] = preferences
            return (preferences, true)
        }
        if isNew { preferences.finishOpening() }
        return preferences
    }

    private static func open(_ path: String, _ state: inout State) -> OpenPreferences {
        let file = DurableFile(path: path)
        let realPath = (try? file.resolvedPath) ?? file.path  // trouble with the path comes again when it is read
        let place = Array(realPath.utf8)
        if let preferences = state.byPath[place]?.preferences { return preferences }
        state.byPath = state.byPath.filter { $0.value.preferences != nil }
        let preferences = OpenPreferences(.success(file))
        state.byPath[place] = Weak(preferences: preferences)
        return preferences
    }
}
