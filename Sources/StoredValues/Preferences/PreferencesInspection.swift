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

    init(_ file: DurableFile) {
        path = file.place
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
    /// Reads the file and the system-wide defaults below it again, and returns the results: the file first, then the layers by
    /// precedence. Throws if there is no file to inspect.
    package func inspect() throws(PreferencesError) -> [PreferencesInspection] {
        let store = store
        return ([try store.file.get()].compactMap(\.self) + store.layerFiles).map(PreferencesInspection.init)
    }
}
