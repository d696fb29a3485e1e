import StoredValuesSupport

/// A file of values that people can read and edit: one JSON object, a member per key.
///
/// Every handle on one file of this process sees the same values at once, however its path is spelled.
public struct PreferencesFile: Sendable {
    private enum Place {
        /// A file of the application, found when it is first used: by then ``StorageSystem/bootstrap(applicationID:preferences:keyring:)`` ran.
        case named(String, madeIn: TemporaryScope?)
        case open(PreferencesStore)
    }

    private let place: Place

    /// The application's preferences: `$XDG_CONFIG_HOME/<application id>/preferences.json`, by default in `~/.config`;
    /// or the file that the program named in ``StorageSystem/bootstrap(applicationID:preferences:keyring:)``, else the one that the
    /// environment variable `STORED_VALUES_PREFERENCES` names.
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
        place = .open(OpenStores.shared.open(path))
    }

    private init(place: Place) { self.place = place }

    /// A handle on `preferences`. Tests open one file twice with it, as two processes would.
    init(_ store: PreferencesStore) {
        store.open()
        place = .open(store)
    }

    /// The open file behind this handle, in the task that asks.
    var store: PreferencesStore {
        switch place {
        case .named(let name, let scope):
            (TemporaryScope.current ?? scope).map { Self.store(name, in: $0) } ?? OpenStores.shared.application(name)
        case .open(let store): store
        }
    }

    /// The name of the application's file that this is; nil where it is another.
    var name: String? { if case .named(let name, _) = place { name } else { nil } }

    /// The temporary scope that this handle's file lies in, for an operation of a wrapper that was made in `scope`.
    func temporaryScope(orElse scope: TemporaryScope?) -> TemporaryScope? {
        guard case .named(_, let ownScope) = place else { return nil }
        return TemporaryScope.current ?? scope ?? ownScope
    }

    /// The open file behind this handle in `scope`.
    func store(in scope: TemporaryScope) -> PreferencesStore {
        guard case .named(let name, _) = place else { return store }
        return Self.store(name, in: scope)
    }

    private static func store(_ name: String, in scope: TemporaryScope) -> PreferencesStore {
        scope.object("preferences \(name)") { PreferencesFile(path: "\(scope.folder)/\(name).json").store }
    }

    /// Where the values lie.
    public var path: String { store.path }

    /// The keys of all stored values, sorted, whoever declared them. Never the layers below: only this file's.
    public var keys: [String] { store.keys }

    /// Returns when every change made before it would survive a power cut (`fsync` of the file and its folder).
    ///
    /// Throws ``PreferencesError`` when that cannot be had, and for changes since the last call that were refused, all of them at
    /// once. What could not be written stays in memory and is tried again. A flush takes five minutes at most, and throws as soon as its
    /// task is cancelled; what it has begun goes on in the background.
    public func flush() async throws(PreferencesError) { try await store.flush() }

    /// Runs `changes` and writes all that the calling thread changes in it with one replacement of the file.
    ///
    /// Each change is seen at once by every wrapper in this process; waiting streams and observers are told when the batch is
    /// written, and a snapshot that swift-configuration takes on another thread holds the whole batch or none of it. No
    /// other thread or process changes the file in between. When `changes` throws, the changes that it had made are written
    /// all the same.
    public func batch<Result, Failure>(_ changes: () throws(Failure) -> Result) throws(Failure) -> Result {
        try store.batch(changes)
    }
}
