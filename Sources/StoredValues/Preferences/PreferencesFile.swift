import StoredValuesSupport

/// A file of values that people can read and edit: one JSON object, a member per key.
///
/// Every handle on one file of this process sees the same values at once, however its path is spelled.
public struct PreferencesFile: Sendable {
    private enum Place {
        /// A file of the application, found when it is first used: by then `StorageSystem.bootstrap` ran.
        case named(String, madeIn: TemporaryScope?)
        case open(PreferencesStore)
    }

    private let place: Place

    /// The application's preferences: `$XDG_CONFIG_HOME/<application id>/preferences.json`, by default in `~/.config`;
    /// or the file that the program named in `StorageSystem.bootstrap`, else the one that the environment variable
    /// `STORED_VALUES_PREFERENCES` names.
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

    /// Values in memory only, for previews: they begin with `json`, and go with the last handle on them.
    ///
    /// Each call makes others. Everything works as with a file, and the disk is never touched: ``flush()`` has nothing to do, and
    /// ``path`` says that there is none.
    ///
    /// - Parameter json: One JSON object, as a preferences file holds it. Anything else traps with a message that says where.
    public static func inMemory(_ json: String = "{}") -> PreferencesFile {
        let storage = PreferencesFile(PreferencesStore(.success(nil), path: "(in memory)", retries: nil))
        storage.begin(with: json, for: "PreferencesFile.inMemory(_:)")
        return storage
    }

    private init(place: Place) { self.place = place }

    /// A handle on `preferences`. Tests open one file twice with it, as two processes would.
    init(_ store: PreferencesStore) {
        store.open()
        place = .open(store)
    }

    /// Stores every member of `json`. What is no JSON object traps with a message that names `call`.
    func begin(with json: String, for call: String) {
        let document: PreferencesDocument
        do throws(JSONSyntaxError) {
            document = try PreferencesDocument(parsing: Array(json.utf8))
        } catch {
            programmerError("\(call): the preferences to begin with are not JSON: \(error). Write one object, such as {\"limit\": 7}.")
        }
        let keys = document.keys.filter { $0 != MemberVersions.name }
        guard !keys.isEmpty else { return }
        store.change(call) { changes in
            for key in keys { changes.set(key, to: document.stored(PreferencesKey(key)), if: .always) }
        }
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

    /// Removes every value of this file, whoever declared it and whatever version of the program wrote it, as one change: every wrapper
    /// reads what the system-wide defaults say, or its own default.
    ///
    /// What ``importUserDefaults(named:key:)`` has imported before is not imported again. Inside an `update` of this file it traps.
    /// Writing is as with ``StoredValue/set(_:overwritingNewer:)``.
    public func resetAll() {
        let store = store
        store.change("resetAll()") { changes in
            for key in store.keys { changes.set(key, to: nil, if: .always) }
        }
    }

    /// Reads what the file and the system-wide defaults below it hold now. When this returns, every reader in this process has it, and
    /// the buffer of each stream holds it.
    ///
    /// It comes by itself a moment later; call this where that is too late, as in a test that has just written the file. Blocks the
    /// thread for as long as reading takes, and for 200 ms at most where somebody is in the middle of writing the file. Needs no
    /// permission to write. A file that cannot be read or is not JSON is logged, and the last good values stay; what could not be
    /// written yet stays over what is read. Inside a batch, its changes do; waiting streams and observers are told when it ends.
    public func reload() { store.reload() }

    /// Runs `changes`, and makes all that the calling thread changes in it as one: with one replacement of the file, or not at all.
    ///
    /// Inside, the calling thread reads what it has changed. Everybody else reads the values as they were until `changes` has returned,
    /// and then all the new ones: who has read one of them finds no old one. Streams have one element for the last value of each key, and
    /// observers are told once for each key, when all is written. When `changes` throws, nothing has changed, in the file or in memory.
    /// A batch inside a batch is a part of it that is undone by itself when it throws.
    ///
    /// `changes` runs with the file's lock held: no other thread or process changes the file in between. A batch that would make the file
    /// larger than 64 MiB is refused as a whole; one that cannot be written stays in memory as a whole, as other changes do, see
    /// ``flush()``. A change of what a newer version of the program stored is refused by itself. A value under a former key moves
    /// to its new one also where the batch is undone. Inside the closure of an ``StoredValue/update(_:)`` of the same file this traps.
    public func batch<Result, Failure>(_ changes: () throws(Failure) -> Result) throws(Failure) -> Result {
        try store.batch(changes)
    }

    /// Runs `read`, in which the calling thread reads all values of this file as they were at one moment, that of the call.
    ///
    /// ```swift
    /// let low = StoredValue(key: "low", default: 0), high = StoredValue(key: "high", default: 9)
    /// let (first, last) = PreferencesFile.standard.withConsistentValues { (low.value, high.value) }
    /// ```
    ///
    /// No lock is held meanwhile: others go on changing the file, and `read` may take its time. What it changes itself is made as
    /// usual, and read when it has returned; inside ``StoredValue/update(_:)`` and ``batch(_:)`` the values are those of now. Inside
    /// a batch, `read` reads what that has changed so far.
    public func withConsistentValues<Result, Failure>(_ read: () throws(Failure) -> Result) throws(Failure) -> Result {
        try store.withConsistentValues(read)
    }
}
