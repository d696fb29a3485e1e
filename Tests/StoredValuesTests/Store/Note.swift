#if Store
    import Synchronization

    @testable import StoredValuesStore

    /// What the tests of stores keep.
    struct Note: Codable, Identifiable, Sendable, Equatable {
        let id: String
        var text = ""
        var count = 0

        init(_ id: String, _ text: String = "", count: Int = 0) { (self.id, self.text, self.count) = (id, text, count) }
    }

    extension Store where Item == Note {
        var ids: [String] { items.map(\.id) }

        /// A store of its own in the file at `path`, which shares nothing with others of this process, as another process's would: stores
        /// of files with other names are others, and each call names the file in another way.
        static func ofAnotherProcess(_ path: String, template: Note? = nil) -> Store<Note> {
            Store("notes", in: .ofAnotherProcess(path), template: template)
        }
    }

    /// Makes a change, and tries again where another connection has kept the file for too long, as that error says: a busy machine may stop the one
    /// that has it.
    func patiently<Result>(_ change: () async throws -> Result) async throws -> Result {
        while true {
            do { return try await change() } catch StoreError.locked {}
        }
    }

    extension StoreFile {
        private static let last = Atomic(0)

        static func ofAnotherProcess(_ path: String) -> StoreFile {
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
            let number = last.add(1, ordering: .relaxed).newValue
            let way = (0..<16).map { number >> $0 & 1 == 0 ? "/" : "/." }.joined()  // both lead nowhere else
            return StoreFile(path: "\(path[..<slash])\(way)\(path[slash...])")
        }
    }
#endif
