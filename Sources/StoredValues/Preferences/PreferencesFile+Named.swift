import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

// Files of one's own for each profile, project or account.

extension PreferencesFile {
    /// The names of the application's files beside the ``standard`` one, sorted: those that ``named(_:)`` opens and that exist.
    ///
    /// Links to files count. Schemas that lie there do not: `<name>.schema.json`. Where `STORED_VALUES_PREFERENCES` names the
    /// standard file `/srv/a.json`, these are the files `/srv/a.<name>.json`. In `withTemporaryStorage` they are its own.
    ///
    /// Throws ``PreferencesError/notRead(path:reason:)`` if the folder cannot be listed, and if there is no place for preferences; a
    /// folder that does not exist has no files.
    public static var names: [String] {
        get throws(PreferencesError) {
            let scope = standard.temporaryScope(orElse: nil)
            let start = if let scope { "\(scope.folder)/" } else { try PreferencesLocation.startOfNamed }
            let folder = start.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(start[..<$0]) }
            let prefix = start.utf8.last == UInt8(ascii: "/") ? "" : start.parts(separatedBy: "/").last ?? ""
            let path = folder.map { $0.isEmpty ? "/" : $0 } ?? "."
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            let files: [String]
            do { files = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
                throw .notRead(path: path, reason: "The folder cannot be listed. Check its owner and mode: ls -ld \(path)")
            }
            let replacement = scope == nil ? StorageSystem.part(PreferencesFile.self)?.name : nil
            let standardNames = [PreferencesLocation.standardName, replacement].compactMap(\.self)
            return files.compactMap { file in
                let name = PreferencesLocation.stem(of: file).after(prefix: prefix) ?? ""
                let isSettings = !name.isEmpty && !file.isIdentical(to: prefix + name) && !file.utf8.suffix(12).elementsEqual(".schema.json".utf8)
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
    /// ``PreferencesError/notSaved(path:reason:)`` is thrown: a ``flush()`` saves them or says why not, and ``resetAll()`` gives them up.
    /// The same is thrown if something cannot be removed; what was removed before that stays so.
    ///
    /// Other processes see the file go. A symbolic link stays, and its target is removed. Published schemas stay: they say what a
    /// file of that name can hold. Of a file in memory the values are removed. Takes the file's lock as a change does, at most five
    /// minutes, and throws as soon as its task is cancelled; the file may still be removed then.
    public func delete() async throws(PreferencesError) { try await store.delete() }
}
