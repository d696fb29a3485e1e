#if Store
    import Foundation
    import StoredValues
    import StoredValuesStore
    import Testing

    @Suite("The errors of a store")
    struct StoreErrorTests {}

    extension StoreErrorTests {
        private static let path = "/home/me/.local/share/com.example.Notes/store.sqlite"

        /// Each error, what its sentence says, and its exit status.
        private static let all: [(error: StoreError, says: [String], status: Int32)] = [
            (.noFolder(reason: "Set HOME."), ["nothing was stored", "Set HOME.", "StoreFile(path:)"], 78),
            (.notName("a/b"), ["\"a/b\"", "Choose another name"], 65),
            (.notAccessible(path: path, reason: "Free a descriptor."), [path, "Free a descriptor."], 74),
            (.readOnly(path: path), [path, "Check the owner"], 74),
            (.full(path: path), [path, "stays as it is", "Free some space"], 74),
            (.locked(path: path, after: .seconds(5)), [path, "5.0 seconds", "try again"], 75),
            (.damaged(path: path, reason: "malformed"), [path, "malformed", "stays as it is", "Put a copy"], 65),
            (.foreign(path: path), [path, "stays as it is", "Choose another file"], 65),
            (.newerFile(path: path, stored: 2, supported: 1), [path, "version 2", "up to 1", "Update"], 65),
            (.notEncodable(store: "notes", reason: "refused"), ["\"notes\"", "refused", "Correct the item"], 65),
            (.newerItem(store: "notes", id: "\"a\"", stored: 3, supported: 2), ["\"notes\"", "\"a\"", "3", "up to 2", "Update"], 65),
            (
                .unreadableItem(store: "notes", id: "\"a\"", reason: "there is no member \"x\""),
                ["\"notes\"", "\"a\"", "no member \"x\"", "Give the store a template", "remove(id:)"], 65
            ),
            (.changedID(store: "notes", id: "\"a\""), ["\"notes\"", "\"a\"", "insert it with its new id"], 65),
            (.cancelled, ["cancelled"], 75),
        ]

        @Test("say what they concern and what to do, first for the program's user, and have the exit status that fits")
        func sentences() {
            for (error, says, status) in Self.all {
                for part in says { #expect(error.debugDescription.contains(part), "\(error.debugDescription)") }
                #expect(error.debugDescription.hasPrefix(error.description) && error.description.hasSuffix("."))
                #expect(error.localizedDescription == error.description && error.errorDescription == error.description)
                #expect(error.exitStatus == status, "\(error)")
            }
            #expect(Set(Self.all.map(\.error.description)).count == Self.all.count, "one reads like another")
        }

        @Test("name the variables that help where there is no folder; a file says where it is, as far as that is settled and known")
        func noFolder() async {
            await #expect(processExitsWith: .success) {
                try #require("\(StoreFile.standard)" == "store.sqlite (not located yet)")
                StorageSystem.bootstrap(applicationID: "app")
                setenv("XDG_DATA_HOME", "/data", 1)
                try #require("\(StoreFile.standard)" == "/data/app/store.sqlite")
                for name in ["HOME", "XDG_DATA_HOME"] { unsetenv(name) }
                try #require("\(StoreFile.standard)" == "(no folder)")
                let reason = "neither HOME nor XDG_DATA_HOME holds an absolute path. Set one of them, or name the file."
                await #expect(throws: StoreError.noFolder(reason: reason)) { try await Store<Note>("notes").insert(Note("a")) }
            }
        }
    }
#endif
