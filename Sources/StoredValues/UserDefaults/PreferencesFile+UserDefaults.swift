import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

extension PreferencesFile {
    /// Imports, once, what this program stored with Foundation's `UserDefaults`, and reports what became of each key.
    ///
    /// ```swift
    /// let report = try PreferencesFile.standard.importUserDefaults()    // first thing, before values are used
    /// print(report)
    /// ```
    ///
    /// - Values keep their shape: strings, numbers, lists and dictionaries are unchanged, a date becomes a stored `Date`. Data
    ///   that contains JSON becomes that JSON; of the form `{"value": …}`, which Boutique stores, only the value in the box is
    ///   imported.
    /// - A value that is already stored here is never overwritten, and a key that was imported and then reset stays reset: the
    ///   import is noted in the file, under the property list's name, in the same replacement.
    /// - The property list itself is not changed.
    ///
    /// Like `set`, it has replaced the file when it returns; ``flush()`` throws if that failed.
    ///
    /// - Parameters:
    ///   - name: The suite's name; nil for `UserDefaults.standard`, which on Linux has the executable's name. The property list
    ///     is read from where Foundation stores it: `$XDG_CONFIG_HOME/<name>.plist`, by default in `~/.config`. Inside
    ///     `withTemporaryStorage` it is read from the temporary file's folder.
    ///   - newKey: Returns the new name of a key; nil excludes it.
    /// - Throws: ``PreferencesError/notImported(path:reason:)``, ``PreferencesError/noHomeFolder``.
    @discardableResult
    public func importUserDefaults(
        named name: String? = nil, key newKey: (String) -> String? = { $0 }
    ) throws(PreferencesError) -> UserDefaultsImport {
        let name = name ?? executableName()
        guard let scope = temporaryScope(orElse: nil) else {
            return try importUserDefaults(at: try PreferencesLocation.userDefaults(name), key: newKey)
        }
        return try importUserDefaults(at: "\(scope.folder)/\(name).plist", key: newKey)
    }

    /// The same for the property list at `path`, binary or XML, such as one copied from a Mac.
    @discardableResult
    public func importUserDefaults(
        at path: String, key newKey: (String) -> String? = { $0 }
    ) throws(PreferencesError) -> UserDefaultsImport {
        let file = DurableFile(path: path)
        let store = store
        let source = ImportedDefaults.name(of: file.path)
        func report(
            _ status: UserDefaultsImport.Status, _ keys: [String: UserDefaultsImport.Outcome] = [:]
        ) -> UserDefaultsImport {
            UserDefaultsImport(path: file.path, status: status, keys: keys)
        }
        guard !store.imported.names.contains(source) else { return report(.doneBefore) }
        let entries: [String: PropertyListValue]
        do {
            guard let contents = try file.read() else { return report(.noFile) }
            entries = try ImportedDefaults.entries(contents.bytes)
        } catch let error as FileError {
            throw .notImported(path: file.path, reason: error.description)
        } catch let problem as PropertyListCheck.Problem {
            throw .notImported(path: file.path, reason: problem.description)
        } catch {
            throw .notImported(path: file.path, reason: PropertyListCheck.Problem.damaged.description)
        }
        // All calls of the program's own code come before taking the file's lock.
        let found = entries.map { ($0.key, newKey($0.key), ImportedDefaults.json($0.value)) }.sorted { $0.0 < $1.0 }
        return try store.change("importUserDefaults") { changes throws(PreferencesError) in
            var imported = store.imported
            guard imported.names.insert(source).inserted else { return report(.doneBefore) }
            var outcomes: [String: UserDefaultsImport.Outcome] = [:]
            for (key, newKey, json) in found { outcomes[key] = changes.take(json, as: newKey, into: store) }
            changes.set(ImportedDefaults.member, to: StoredJSON(json: imported.text), if: .always)
            guard store.hasRoom(for: changes) else {
                let reason = "With its values \"\(store.path)\" would be larger than \(DurableFile.sizeLimit >> 20) MiB. Exclude the keys of large data."
                throw .notImported(path: file.path, reason: reason)
            }
            return report(.done, outcomes)
        }
    }
}

extension MemberChanges {
    /// Stores one imported value, unless something prevents it.
    fileprivate mutating func take(
        _ json: ImportedDefaults.Reading, as newKey: String?, into store: PreferencesStore
    ) -> UserDefaultsImport.Outcome {
        guard let newKey else { return .skipped(.excluded) }
        guard !newKey.isEmpty, !newKey.isReservedKey else { return .skipped(.unusableKey) }
        guard store.own(newKey) == nil, byKey[PreferencesKey(newKey)] == nil else { return .skipped(.alreadyStored) }
        switch json {
        case .failure(let reason): return .skipped(reason)
        case .success(let value, let form):
            set(newKey, to: StoredJSON(json: value.text(level: 1)), if: .ifStill(nil))
            return .imported(as: newKey, from: form)
        }
    }
}

extension PreferencesStore {
    fileprivate var imported: ImportedDefaults { ImportedDefaults(parsing: own(ImportedDefaults.member)?.json) }
}
