import StoredValuesFiles

/// The result of inspecting one file of preferences.
package struct PreferencesInspection: Sendable {
    /// The content of the file.
    package enum Content: Sendable, Equatable {
        case missing
        /// The number of keys.
        case keys(Int)
        /// Not JSON, with the reason and position.
        case broken(String)
        /// Not readable, with a message that says why and what to do.
        case unreadable(String)
    }

    /// The path, with links resolved.
    package let path: String
    /// The permission bits; nil if there is no file.
    package let mode: UInt32?
    package let content: Content
    /// What comes from it.
    package let source: ValueSource

    init(_ file: DurableFile, _ source: ValueSource) {
        (path, self.source) = (file.place, source)
        mode = (try? file.status(at: file.path, followingLinks: true))?.mode
        do throws(FileError) {
            let reading = try PreferencesReading(known: nil, file.read)
            content =
                switch reading.document {
                case .failure(let error): .broken(error.description)
                case .success where reading.identity == nil: .missing
                case .success(let document): .keys(document.keys.count { !$0.isReservedKey })
                }
        } catch {
            content = .unreadable(error.description)
        }
    }
}

extension PreferencesFile {
    /// Reads the file and the layers below it again, and returns the results: the file first, then the layers by precedence. Throws
    /// if there is no file to inspect.
    package func inspect() throws(PreferencesError) -> [PreferencesInspection] {
        let store = store
        let file = try store.file.get().map { PreferencesInspection($0, .file) }
        return [file].compactMap(\.self) + store.layers.map { PreferencesInspection($0.file, $0.kind.source) }
    }
}
