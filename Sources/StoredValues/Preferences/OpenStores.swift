import StoredValuesFiles
import StoredValuesSupport

/// The preferences files that this process has open: one store for each path, and for all paths that lead to one file when they are
/// opened. A store follows its own path: if a symbolic link on it is retargeted, the file that it led to gets another store.
///
/// Files are read, and listeners notified, without a process-wide lock: only users of the same file wait.
final class OpenStores: Sendable {
    static let shared = OpenStores()

    /// By the bytes of the path that it was opened by, as the system distinguishes files: two names that only look alike are two files.
    private let byPath = WeakTable<[UInt8], PreferencesStore>()
    /// By those of the real path that this led to then.
    private let byPlace = WeakTable<[UInt8], PreferencesStore>()
    /// The application's own files stay open.
    private let byName = Guarded<[[UInt8]: PreferencesStore]>([:])

    /// The store of the file at `path`, open.
    func open(_ path: String) -> PreferencesStore {
        let store = store(at: path)
        store.open()
        return store
    }

    /// The store of the file at `path`, which may not be open yet.
    private func store(at path: String) -> PreferencesStore {
        let file = DurableFile(path: path), given = Array(file.path.utf8)
        if let store = byPath[given] { return store }
        let realPath = file.place  // errors of the path occur again when it is read
        let place = Array(realPath.utf8)
        let store = byPlace.object(for: place, ifStill: { (try? $0.file.get())?.place.isIdentical(to: realPath) == true }) {
            PreferencesStore(.success(file), path: realPath) { [weak self] in
                self?.byPath.remove(given)
                self?.byPlace.remove(place)
            }
        }
        // One that was opened by another path need not lead where this one does as soon as links are retargeted.
        guard case .success(let own?) = store.file, own === file else { return store }
        return byPath.object(for: given) { store }
    }

    /// The store of the application's file `name`, open and with the layers below it: the system-wide defaults, and above those,
    /// if it is the standard file, the layers that only that has, one of them above the file.
    func application(_ name: String) -> PreferencesStore {
        let key = Array(name.utf8)
        if let store = byName.withLock({ $0[key] }) { return store }
        let named = StorageSystem.part(PreferencesFile.self)  // looked up for every file, because any counts as a use of the storage
        let replacement = name.isIdentical(to: PreferencesLocation.standardName) ? named : nil
        if let other = replacement?.name { return application(other) }
        let isStandard = name.isIdentical(to: named?.name ?? PreferencesLocation.standardName)
        let new: PreferencesStore
        do throws(PreferencesError) {
            new = if let replacement { replacement.store } else { store(at: try PreferencesLocation.path(of: name)) }
        } catch {
            new = PreferencesStore(.failure(error), path: "(no file)")
        }
        if isStandard {
            let shared = StorageSystem.sharedLayers
            new.addLayers(shared.paths, of: shared.kind, onTop: true)
            if let variables = StorageSystem.part(EnvironmentVariables.self) { new.add(variables) }
        }
        new.addLayers(PreferencesLocation.layers(of: name))
        new.open()  // after they were added, so that problems with them are also logged before the first value is read
        let opened = byName.withLock { stores in
            if let store = stores[key] { return store }
            stores[key] = new
            return new
        }
        // Only after it was registered: a log handler may use stored values, too.
        if case .failure(let error) = opened.file { opened.report { $0.note(unsavedFor: error) } }
        return opened
    }

    /// The path of the application's file `name`, which is not opened for that.
    func path(ofApplications name: String) -> String {
        if let store = byName.withLock({ $0[Array(name.utf8)] }) { return store.path }
        let replacement = name.isIdentical(to: PreferencesLocation.standardName) ? StorageSystem.part(PreferencesFile.self) : nil
        if let replacement { return replacement.description }
        do { return DurableFile(path: try PreferencesLocation.path(of: name)).place } catch { return "(no file)" }
    }
}
