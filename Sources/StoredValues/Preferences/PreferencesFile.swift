import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// A file of values that users can read and edit: one JSON object, a member per key.
///
/// All handles on one file in this process see the same values at once, however the path is written.
///
/// The path is resolved when a handle is created, or, for a file of the application, at its first use. If a symbolic link is retargeted
/// later, the handles that share a file stay together and follow the path of the first one. A handle that is created later with another
/// path sees their changes as those of another program: none is lost, but do not change the file through one inside a change through
/// the other.
public struct PreferencesFile: Sendable {
    private enum Place {
        /// A file of the application, located at its first use: `StorageSystem.bootstrap` has run by then.
        case named(String, madeIn: TemporaryScope?)
        case open(PreferencesStore)
    }

    private let place: Place

    /// The application's preferences: `$XDG_CONFIG_HOME/<application id>/preferences.json`, by default in `~/.config`. The file
    /// passed to `StorageSystem.bootstrap` replaces it, else the one that the environment variable `STORED_VALUES_PREFERENCES`
    /// names.
    ///
    /// Values that the file does not hold come from the layers below it: the settings that this machine shares with others, then
    /// the system-wide defaults. ``ValueSource`` says where these lie. They are never written; ``StoredValue/reset()`` uncovers
    /// them.
    public static let standard = PreferencesFile(place: .named(PreferencesLocation.standardName, madeIn: nil))

    /// Another file of the application: `named("editor")` is `$XDG_CONFIG_HOME/<application id>/editor.json`, with system-wide
    /// defaults of that name below it, and no settings that machines share.
    ///
    /// If the environment variable `STORED_VALUES_PREFERENCES` names the standard file, it is beside that one, under its name
    /// without `.json`: with `/srv/a.json`, `named("editor")` is `/srv/a.editor.json`. A file passed to `StorageSystem.bootstrap`
    /// does not move it.
    ///
    /// Traps if the name is empty or contains a slash. For a name that a user has chosen, use ``init(checkingName:)``.
    public static func named(_ name: String) -> PreferencesFile {
        requireProperUse(
            PreferencesLocation.isName(name),
            "PreferencesFile.named(\"\(name)\"): the name must not be empty or contain a slash; PreferencesFile(path:) takes a path, and PreferencesFile(checkingName:) throws")
        return PreferencesFile(place: .named(name, madeIn: .current))
    }

    /// ``named(_:)`` for a name that a user has chosen. Throws ``PreferencesError/notName(_:)`` if it is empty, or contains a slash
    /// or a NUL.
    ///
    /// The name `preferences`, and the one that `StorageSystem.bootstrap` was given, are the ``standard`` file: do not offer them for
    /// what a user may ``delete()``. ``names`` does not list them, nor names that end with `.schema`.
    public init(checkingName name: String) throws(PreferencesError) {
        guard PreferencesLocation.isName(name) else { throw .notName(name) }
        self = .named(name)
    }

    /// The file at `path`; a relative path is resolved against the current working folder at once.
    public init(path: String) {
        requireProperUse(!path.isEmpty && !path.has("\0"), "PreferencesFile(path: \"\(path)\"): the path must not be empty or contain a NUL")
        place = .open(OpenStores.shared.open(path))
    }

    /// Values in memory only, for previews: their initial content is `json`, and they are released with the last handle.
    ///
    /// Each call makes separate storage. Everything works as with a file, but the disk is never touched: ``flush()`` has
    /// nothing to do, and ``path`` shows that there is no file.
    ///
    /// - Parameter json: One JSON object, as in a preferences file. Anything else traps with a message that names the position.
    public static func inMemory(_ json: String = "{}") -> PreferencesFile {
        let storage = PreferencesFile(PreferencesStore(.success(nil), path: "(in memory)", retries: nil))
        storage.begin(with: json, for: "PreferencesFile.inMemory(_:)")
        return storage
    }

    private init(place: Place) { self.place = place }

    /// A handle on `preferences`. Tests use it to open one file twice, as two processes would.
    init(_ store: PreferencesStore) {
        store.open()
        place = .open(store)
    }

    /// Stores every member of `json`. Anything but a JSON object traps with a message that names `call`.
    func begin(with json: String, for call: String) {
        let document: PreferencesDocument
        do throws(JSONSyntaxError) {
            document = try PreferencesDocument(parsing: Array(json.utf8))
        } catch {
            programmerError("\(call): the initial preferences are not JSON: \(error). Write one object, such as {\"limit\": 7}.")
        }
        let keys = document.keys.filter { $0 != MemberVersions.name }
        guard !keys.isEmpty else { return }
        store.change(call) { changes in
            for key in keys { changes.set(key, to: document.stored(PreferencesKey(key)), if: .always) }
        }
    }

    /// The open file behind this handle, for the calling task.
    var store: PreferencesStore { store(in: temporaryScope(orElse: nil)) }

    /// The name of this file if it is one of the application's; nil if not.
    var name: String? { if case .named(let name, _) = place { name } else { nil } }

    /// The temporary scope of this handle's file, for an operation of a wrapper that was made in `scope`.
    func temporaryScope(orElse scope: TemporaryScope?) -> TemporaryScope? {
        guard case .named(_, let ownScope) = place else { return nil }
        return TemporaryScope.current ?? scope ?? ownScope
    }

    /// The open file behind this handle in `scope`, if any.
    func store(in scope: TemporaryScope?) -> PreferencesStore {
        switch place {
        case .open(let store): store
        case .named(let name, _):
            if let scope {
                scope.object("preferences \(name)") { OpenStores.shared.open("\(scope.folder)/\(name).json") }
            } else {
                OpenStores.shared.application(name)
            }
        }
    }

    /// The path of the schema that programs publish for this file; nil if values are in memory only. That of one of the application's
    /// files is in the application's data folder, any other is beside its file.
    package var schemaPath: String? {
        get throws(PreferencesError) {
            if let name {
                if let scope = temporaryScope(orElse: nil) { return "\(scope.folder)/\(name).schema.json" }
                return try PreferencesLocation.schema(of: name, StorageSystem.applicationID)
            }
            guard case .success(.some) = store.file else { return nil }
            return "\(PreferencesLocation.stem(of: store.path)).schema.json"
        }
    }

    /// The paths at which a schema of this file can be, by precedence: the published one, then those that are installed. A file that is named
    /// by its path may be an application's, too.
    package var schemaPaths: [String] {
        let own = [try? schemaPath].compactMap(\.self)
        if let name { return own + PreferencesLocation.installedSchemas(of: name, StorageSystem.applicationID) }
        guard let (id, name) = PreferencesLocation.application(ofFileAt: path) else { return own }
        let published = [try? PreferencesLocation.schema(of: name, id)].compactMap(\.self)
        return own + published + PreferencesLocation.installedSchemas(of: name, id)
    }

    /// The path of the file, with symbolic links resolved as they were when it was opened.
    public var path: String { store.path }

    /// The keys of all values stored in this file, sorted, whoever declared them; not those of the layers below.
    public var keys: [String] { store.keys }

    /// Returns when every change made before would survive a power cut (`fsync` of the file and its folder).
    ///
    /// Throws ``PreferencesError`` if that fails, and for all changes refused since the last call, at once. Values that could
    /// not be written stay in memory, and writing is retried. A flush takes at most five minutes, and throws as soon as its
    /// task is cancelled; what it has begun continues in the background.
    public func flush() async throws(PreferencesError) { try await store.flush() }

    /// Removes every value of this file, whichever program or version wrote it, in one change: each wrapper then reads the
    /// layers below, or its own default.
    ///
    /// Data that ``importUserDefaults(named:key:)`` has imported before is not imported again. Traps inside an `update` of this
    /// file. Writing works as for ``StoredValue/set(_:overwritingNewer:)``.
    public func resetAll() {
        let store = store
        store.change("resetAll()") { changes in
            for key in store.keys { changes.set(key, to: nil, if: .always) }
        }
    }

    /// Reads the file and the layers below it now. When this returns, every reader in this process sees the result, and it is in
    /// the buffer of each stream.
    ///
    /// Changes are normally seen a moment later without this; call it when that is too late, as in a test that has just written
    /// the file. Blocks the thread while reading, and for at most 200 ms while another program is writing the file. While another
    /// thread of this process changes the file, it may wait for that too: for at most 2 s while another process holds the file's lock,
    /// for the closure of an ``StoredValue/update(_:)`` or a batch, and for the disk in ``StoredValue/set(durably:)`` and ``delete()``.
    /// Needs no permission to write. If a file cannot be read or is not JSON, that is logged, and the last good values stay. Values that
    /// could not be written yet take precedence over what is read, as do a batch's changes inside it; there, streams and
    /// observers are notified at its end.
    public func reload() { store.reload() }

    /// Throws why this file or a layer below it cannot be read now: it is not JSON, the system refuses it, or its folder is not
    /// known. A file that does not exist is not an error.
    ///
    /// For a program that should exit rather than start with defaults in place of settings that it cannot read. Reads the files again,
    /// and blocks, as ``reload()`` does.
    public func requireReadable() throws(PreferencesError) {
        reload()  // waits for another program that is writing the file
        for found in try inspect() {
            switch found.content {
            case .missing, .keys: continue
            case .broken(let problem): throw .notRead(path: found.path, reason: "It is not JSON: \(problem). Correct it.")
            case .unreadable(let problem): throw .notRead(path: found.path, reason: problem)
            }
        }
    }

    /// Runs `changes`, and applies all changes that the calling thread makes in it as one: in one replacement of the file, or
    /// not at all.
    ///
    /// Inside, the calling thread reads its own changes. All other threads read the old values until `changes` has returned,
    /// and then the new ones: after reading one new value they read no old one. Streams have one element for the last value of
    /// each key, and observers are notified once per key, after everything is written. Another file that is changed inside changes at once;
    /// who waits for it or observes it is told at the end.
    ///
    /// If `changes` throws, nothing has changed, in the file or in memory; changes of other files that were made inside stay. A batch
    /// inside a batch is a part of it; if it throws, only that part is undone.
    ///
    /// `changes` runs with the file's lock held: no other thread or process changes the file in between. A batch that would
    /// make the file larger than 64 MiB is refused as a whole; one that cannot be written stays in memory as a whole, like
    /// other changes, see ``flush()``. A change of a value that a newer version of the program stored is refused alone. A value
    /// under a former key moves to its new key even if the batch is undone. Traps inside the closure of an
    /// ``StoredValue/update(_:)`` of the same file.
    public func batch<Result, Failure>(_ changes: () throws(Failure) -> Result) throws(Failure) -> Result {
        try store.batch(changes)
    }

    /// Runs `read`, in which the calling thread reads all values of this file as they were at the time of the call.
    ///
    /// ```swift
    /// let low = StoredValue(key: "low", default: 0), high = StoredValue(key: "high", default: 9)
    /// let (first, last) = PreferencesFile.standard.withConsistentValues { (low.value, high.value) }
    /// ```
    ///
    /// No lock is held meanwhile: others continue to change the file, and `read` may take its time. Changes made in `read` are
    /// applied as usual, and can be read after it has returned; inside ``StoredValue/update(_:)`` and ``batch(_:)`` the current
    /// values are read. Inside a batch, `read` sees the batch's changes so far.
    public func withConsistentValues<Result, Failure>(_ read: () throws(Failure) -> Result) throws(Failure) -> Result {
        try store.withConsistentValues(read)
    }
}

extension PreferencesFile: CustomStringConvertible {
    /// The ``path``, without opening the file. For a file of the application it is the name until the storage is used for the first
    /// time.
    public var description: String {
        guard let name else { return path }
        if let scope = temporaryScope(orElse: nil) { return DurableFile(path: "\(scope.folder)/\(name).json").place }
        return StorageSystem.isSettled ? OpenStores.shared.path(ofApplications: name) : "\(name).json (not located yet)"
    }
}

// Files of one's own for each profile, project or account.

extension PreferencesFile {
    /// The names of the application's files beside the ``standard`` one, sorted: those that ``named(_:)`` opens and that exist.
    ///
    /// Links to files count. Schemas that lie there do not: `<name>.schema.json`. Where `STORED_VALUES_PREFERENCES` names the
    /// standard file `/srv/a.json`, these are the files `/srv/a.<name>.json`. In `withTemporaryStorage` they are its own.
    ///
    /// Throws ``PreferencesError/notRead(path:reason:)`` if the folder cannot be listed, and as ``path`` does where there is no place for
    /// preferences; a folder that does not exist has no files.
    public static var names: [String] {
        get throws(PreferencesError) {
            let scope = standard.temporaryScope(orElse: nil)
            // What the paths of all but the standard file begin with, before their names.
            let start = if let scope { "\(scope.folder)/" } else { PreferencesLocation.stem(of: try PreferencesLocation.path(of: "")) }
            let path = start.has("/") ? ResolvedPath.folder(of: start) : ".", prefix = ResolvedPath.name(of: start)
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            let files: [String]
            do { files = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
                throw .notRead(path: path, reason: "The folder cannot be listed. Check its owner and mode: ls -ld \(path)")
            }
            let replacement = scope == nil ? StorageSystem.part(PreferencesFile.self)?.name : nil
            let standardNames = [PreferencesLocation.standardName, replacement].compactMap(\.self)
            return files.compactMap { file in
                let stem = PreferencesLocation.stem(of: file), name = stem.after(prefix: prefix) ?? ""
                let isSettings = !name.isEmpty && !file.isIdentical(to: stem) && stem.before(suffix: ".schema") == nil
                // Anything but a file is refused when it is opened.
                let isFile = isSettings && (try? DurableFile(path: start + name + ".json").currentIdentity()) != nil
                return isFile && !standardNames.contains { $0.isIdentical(to: name) } ? name : nil
            }.distinctKeys
        }
    }

    /// Removes the file for good, with all that lies beside it: its durable copy, what was set aside because it was not JSON, and its
    /// locks. When this returns, every reader of this process reads the layers below or its default, and a power cut does not bring
    /// the file back. The next change makes a new file.
    ///
    /// If values are in memory that could not be saved yet, whoever set them, nothing is removed, and
    /// ``PreferencesError/notSaved(path:reason:)`` is thrown: ``flush()`` saves them or throws why not, and ``resetAll()`` discards
    /// them. The same is thrown if something cannot be removed; what was removed before that stays so.
    ///
    /// Other processes see that the file is gone. A symbolic link stays, and its target is removed. Published schemas stay: they say
    /// what a file of that name can hold. Of a file in memory the values are removed. Takes the file's lock as a change does, at most
    /// five minutes, and throws as soon as its task is cancelled; the file may still be removed then.
    public func delete() async throws(PreferencesError) { try await store.delete() }
}
