import StoredValuesFiles
import StoredValuesSupport

/// The preferences files that this process has open: one store for each real path.
///
/// Files are read, and listeners notified, without a process-wide lock: only users of the same file wait.
final class OpenStores: Sendable {
    static let shared = OpenStores()

    /// By the path's bytes, as the system distinguishes files: two names that only look alike are two files.
    private let byPath = WeakTable<[UInt8], PreferencesStore>()
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
        let file = DurableFile(path: path)
        let realPath = file.place  // errors of the path occur again when it is read
        let place = Array(realPath.utf8)
        return byPath.object(for: place) {
            PreferencesStore(.success(file), path: realPath) { [weak self] in self?.byPath.remove(place) }
        }
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
        new.open()  // after those were added: what is wrong with them is logged before the first value is read, too
        return byName.withLock { stores in
            if let store = stores[key] { return store }
            stores[key] = new
            return new
        }
    }
}
