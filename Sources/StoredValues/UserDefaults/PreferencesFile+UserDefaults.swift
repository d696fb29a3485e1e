import StoredValuesFiles
import StoredValuesSupport

extension PreferencesFile {
    /// Imports, once, what this program stored with Foundation's `UserDefaults`, and reports what became of each key.
    ///
    /// ```swift
    /// // First thing, before values are used
    /// let report = try PreferencesFile.standard.importUserDefaults()
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
    /// - Throws: ``PreferencesError/notImported(path:reason:)``, ``PreferencesError/noHomeFolder``, ``PreferencesError/notUTF8(variable:)``.
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
        let file = DurableFile(path: path), store = store, source = Self.nameOfList(at: file.path)
        func report(_ status: UserDefaultsImport.Status, _ keys: [String: UserDefaultsImport.Outcome] = [:]) -> UserDefaultsImport {
            UserDefaultsImport(path: file.path, status: status, keys: keys)
        }
        guard !store.imported.contains(source) else { return report(.doneBefore) }
        let entries: [String: PropertyList]
        do {
            guard let contents = try file.read() else { return report(.noFile) }
            guard let found = try PropertyList(parsing: contents.bytes).value as? [String: PropertyList] else {
                throw PropertyList.Problem.damaged
            }
            entries = found
        } catch { throw .notImported(path: file.path, reason: "\(error)") }
        // All calls of the program's own code come before taking the file's lock.
        let found = entries.map { ($0.key, newKey($0.key), $0.value.reading) }.sorted { $0.0 < $1.0 }
        return try store.change("importUserDefaults") { changes throws(PreferencesError) in
            var imported = store.imported
            guard imported.insert(source).inserted else { return report(.doneBefore) }
            var outcomes: [String: UserDefaultsImport.Outcome] = [:]
            for (key, newKey, json) in found { outcomes[key] = changes.take(json, as: newKey, into: store) }
            let names = JSONValue.array(imported.sorted().map(JSONValue.string))
            changes.set(PreferencesStore.importedMember, to: StoredJSON(json: names.text(level: 1)), if: .always)
            do throws(PreferencesError) { try store.check(changes) } catch {
                let reason = "With its values \"\(store.path)\" would be larger than \(DurableFile.sizeLimit >> 20) MiB. Exclude the keys of large data."
                throw .notImported(path: file.path, reason: reason)
            }
            return report(.done, outcomes)
        }
    }

    /// The name under which an import is noted: that of the property list's file, which stays when the folders above it are moved.
    private static func nameOfList(at path: String) -> String {
        let file = path.parts(separatedBy: "/").last ?? path
        return file.before(suffix: ".plist") ?? file
    }
}

extension MemberChanges {
    /// Stores one imported value, unless something prevents it.
    fileprivate mutating func take(
        _ json: PropertyList.Reading, as newKey: String?, into store: PreferencesStore
    ) -> UserDefaultsImport.Outcome {
        guard let newKey else { return .skipped(.excluded) }
        guard !newKey.isEmpty, !newKey.isReservedKey else { return .skipped(.unusableKey) }
        guard store.own(newKey) == nil, self[PreferencesKey(newKey)] == nil else { return .skipped(.alreadyStored) }
        switch json {
        case .failure(let reason): return .skipped(reason)
        case .success(let value, let form):
            set(newKey, to: StoredJSON(json: value.text(level: 1)), if: .ifStill(nil))
            return .imported(as: newKey, from: form)
        }
    }
}

extension PreferencesStore {
    /// The reserved member with the names of the property lists that were imported: `"$imported": ["com.example.Editor"]`.
    fileprivate static let importedMember = "$imported"

    /// Those names; none if the member is not a list of strings (a user may have edited it).
    fileprivate var imported: Set<String> {
        guard let text = own(Self.importedMember)?.json, let json = try? JSONValue(parsing: text) else { return [] }
        return Set((json.arrayValue ?? []).compactMap(\.stringValue))
    }
}
