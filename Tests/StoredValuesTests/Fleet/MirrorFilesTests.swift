#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFiles
    @testable import StoredValuesFleet

    @Suite("The files that an agent writes")
    struct MirrorFilesTests {
        private let nobody = NSNumber(value: 65534)
    }

    extension MirrorFilesTests {
        private func withFiles(_ body: (String, MirrorFiles) throws -> Void) throws {
            try withTemporaryFolder { folder in
                try body("\(folder)/fleet", MirrorFiles(try #require(FleetFolder("\(folder)/fleet")), applicationID: "demo"))
            }
        }

        private func make(_ folder: String, mode: Int = 0o755) throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
        }

        @Test("The settings, the secrets, what was seen of them and the folders made for them survive a power cut; the report need not")
        func durability() throws {
            try withTemporaryFolder { folder in
                let operations = FaultyFileOperations(), place = "\(folder)/fleet"
                let files = MirrorFiles(try #require(FleetFolder(place)), applicationID: "demo", operations: operations)
                _ = try files.prepare()
                func synchronizations(_ body: () throws -> Void) throws -> [String] {
                    let before = operations.calls.count
                    try body()
                    return operations.calls.dropFirst(before).filter { $0.hasPrefix("synchronize") }
                }
                let whole = ["synchronize", "synchronize folder"]
                // The new folder, the one that it was made in, and those above, which another agent may have made; before anything counts on them.
                func expectAllFolders() throws {
                    operations.fail("synchronize folder", with: .ioFailed)
                    #expect(throws: FileError.self) { try files.write(mirror: [2]) }
                    #expect(!FileManager.default.fileExists(atPath: "\(place)/demo/preferences.json"))
                    operations.fail("synchronize folder", with: nil)
                    let all = try synchronizations { try files.write(mirror: [1]) }
                    #expect(all.count >= 4 && Array(all.suffix(2)) == whole && all.dropLast(2).allSatisfy { $0 == "synchronize folder" }, "\(all)")
                }
                try expectAllFolders()
                #expect(try synchronizations { try files.write(mirror: [1]) } == whole)
                #expect(try synchronizations { try files.write(seen: SecretsVerdict.Seen(epoch: 0, generation: 1)) } == whole)
                #expect(try synchronizations { try files.write(secrets: [1]) } == whole)
                let report = FleetReport(state: .current(revision: 2), confirmed: .now)
                #expect(try synchronizations { try files.write(report) }.isEmpty)
                try FileManager.default.removeItem(atPath: place)
                try expectAllFolders()
                // Where the file system does not sync folders, there is nothing more to do.
                try FileManager.default.removeItem(atPath: place)
                operations.fail("synchronize folder", with: .invalidArgument)
                try files.write(mirror: [1])
            }
        }

        // MARK: The folders

        @Test("Folders are made for programs of all users; one that others may write is taken from them, and that is said; one for everybody is left")
        func folders() throws {
            try withFiles { folder, files in
                #expect(try files.prepare() == [])
                #expect(try mode(folder) == 0o755 && mode("\(folder)/demo") == 0o755)
                // As Kubernetes makes them.
                for path in [folder, "\(folder)/demo"] { try make(path, mode: 0o777) }
                let notes = try files.prepare()
                #expect(notes.count == 2 && notes.allSatisfy { $0.hasPrefix("Others could write \"\(folder)") }, "\(notes)")
                #expect(try mode(folder) == 0o755 && mode("\(folder)/demo") == 0o755)
                #expect(try files.prepare() == [])
                #expect(chmod(folder, 0o1777) == 0)
                #expect(try files.prepare() == [] && mode(folder) == 0o1777)
            }
        }

        @Test("A folder of somebody else, or a link in its place, is refused with what cures it")
        func foreignFolders() throws {
            try SkippedCase.endUnlessRoot(because: "only root can give a folder away")
            try withFiles { folder, files in
                func refusal() -> String { (#expect(throws: FleetError.self) { try files.prepare() }).map { "\($0)" } ?? "" }
                try make("\(folder)/demo")
                for path in ["\(folder)/demo", folder] {
                    try FileManager.default.setAttributes([.ownerAccountID: nobody], ofItemAtPath: path)
                    #expect(refusal().contains("\"\(path)\" belongs to the user with the number 65534") && refusal().hasSuffix("chown -R 0 \"\(path)\""))
                    try FileManager.default.setAttributes([.ownerAccountID: NSNumber(value: 0)], ofItemAtPath: path)
                }
                #expect(try files.prepare() == [])
                let elsewhere = "\(folder)-elsewhere"
                try make(elsewhere)
                try FileManager.default.removeItem(atPath: "\(folder)/demo")
                try FileManager.default.createSymbolicLink(atPath: "\(folder)/demo", withDestinationPath: elsewhere)
                #expect(refusal().hasSuffix("Remove it: rm \"\(folder)/demo\""))
                // The operator may have put the outer one elsewhere; nobody else may.
                try FileManager.default.removeItem(atPath: folder)
                try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
                #expect(try files.prepare() == [])
                #expect(lchown(folder, 65534, 65534) == 0)
                #expect(refusal().contains("symbolic link"))
            }
        }

        @Test(
            "No file is written, read or locked through a link, or if it is somebody else's",
            arguments: [
                "status.json", "preferences.json", "secrets", "secrets.seen.json", "agent.lock", "preferences.json.lock",
            ])
        func links(name: String) throws {
            try withFiles { folder, files in
                _ = try files.prepare()
                let path = "\(folder)/demo/\(name)", victim = "\(folder)/victim"
                func use() throws {
                    switch name {
                    case "status.json": try files.write(FleetReport(state: .current(revision: 1), confirmed: nil))
                    case "secrets": try files.write(secrets: [1])
                    case "secrets.seen.json": try files.write(seen: .init(epoch: 0, generation: 1))
                    case "agent.lock": _ = try files.takeLock()
                    default: try files.write(mirror: [1])
                    }
                }
                try Data("{}".utf8).write(to: URL(fileURLWithPath: victim))
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
                let error = #expect(throws: FleetError.self) { try use() }
                #expect(error.map { "\($0)".hasSuffix("Remove it: rm \"\(path)\"") } ?? false)
                #expect(try contents(ofFile: victim) == "{}")
                if name == "preferences.json" {
                    #expect(throws: FleetError.self) { try files.read() }
                    #expect(files.mirrorDigest(always: true) == nil)
                }
                if name.hasPrefix("secrets"), case .read = files.readSecrets() { Issue.record("it was read through a link") }

                try SkippedCase.endUnlessRoot(because: "only root can give a file away")
                try FileManager.default.removeItem(atPath: path)
                try Data().write(to: URL(fileURLWithPath: path))
                try FileManager.default.setAttributes([.ownerAccountID: nobody], ofItemAtPath: path)
                #expect(throws: FleetError.self) { try use() }
                try FileManager.default.removeItem(atPath: path)
                try use()
            }
        }

        // MARK: The lock

        @Test("One agent keeps the files; if its lock is removed or replaced, it sees that, and the files are the one's that takes it first")
        func lock() throws {
            try withFiles { folder, files in
                let other = MirrorFiles(try #require(FleetFolder(folder)), applicationID: "demo")
                _ = try files.prepare()
                #expect(!files.areHeld)
                #expect(try files.takeLock() && files.areHeld && !other.takeLock() && !other.areHeld)
                try FileManager.default.removeItem(atPath: folder)
                #expect(!files.areHeld)
                _ = try other.prepare()
                #expect(try other.takeLock() && other.areHeld && !files.areHeld && !files.takeLock())
                try FileManager.default.removeItem(atPath: other.lockPath)
                #expect(try files.takeLock() && files.areHeld && !other.areHeld)
                #expect(try mode("\(folder)/demo") == 0o755)
            }
        }
    }
#endif
