import StoredValuesFiles

/// What was found when somebody looked at one file of preferences, for people.
package struct PreferencesInspection: Sendable {
    /// What the file holds.
    package enum Content: Sendable, Equatable {
        case missing
        /// So many keys.
        case keys(Int)
        /// It is not JSON; why and where.
        case broken(String)
        /// It could not be read; a sentence that says why and what to do.
        case unreadable(String)
    }

    /// Where it lies, its links followed.
    package let path: String
    /// The permission bits; nil where there is no file.
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
    /// Reads the file and the system-wide defaults below it anew, and says what was found: the file first, then the layers,
    /// the most important first. Throws where there is no file to look at.
    package func inspect() throws(PreferencesError) -> [PreferencesInspection] {
        let store = store
        return ([try store.file.get()].compactMap(\.self) + store.layerFiles).map(PreferencesInspection.init)
    }
}
