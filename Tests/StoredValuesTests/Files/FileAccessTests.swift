import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Access to the created files", .hangLimit)
struct FileAccessTests {
    private let operations = FileOperations.posix
}

extension FileAccessTests {
    // MARK: Access control lists

    /// An entry of a list: for whom (`linux/posix_acl.h`), what, and which user or group.
    private typealias Entry = (tag: UInt8, permissions: UInt8, id: UInt32)

    private static let none = UInt32.max

    private static func list(_ entries: [Entry]) -> [UInt8] {
        [2, 0, 0, 0]
            + entries.flatMap { entry in
                [entry.tag, 0, entry.permissions, 0] + withUnsafeBytes(of: entry.id.littleEndian, Array.init)
            }
    }

    /// For the owner everything, for user 4321 that, for the group that, for nobody else anything.
    private static func list(user: UInt8, group: UInt8, others: UInt8 = 0) -> [UInt8] {
        list([(0x01, 6, none), (0x02, user, 4321), (0x04, group, none), (0x10, user | group, none), (0x20, others, none)])
    }

    private func set(_ name: String, _ value: [UInt8]?, at path: String, _ purpose: OpenPurpose = .reading) throws {
        let descriptor = try operations.open(path, for: purpose)
        defer { operations.close(descriptor) }
        try operations.setAttribute(name, of: descriptor, to: value)
    }

    private func list(of path: String) throws -> [UInt8]? {
        do throws(SystemErrorCode) {
            return try operations.attribute(FileAccess.listName, at: path)
        } catch .noData {
            return nil
        }
    }

    private func mode(_ path: String) throws -> UInt32 { try operations.status(at: path, followingLinks: false).mode }

    private func write(_ path: String, mode: UInt32) throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, mode) == 0)
    }

    private func replace(_ file: DurableFile) throws {
        _ = try file.withLock { try $0.replace(with: Array("new".utf8), durably: false) }
    }

    /// Runs `body` in a folder whose file system has lists and attributes of users; elsewhere it ends the test's case.
    private func withLists(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try requireLists(in: folder)
            try body(folder)
        }
    }

    private func requireLists(in folder: String) throws {
        try write(folder + "/probe", mode: 0o600)
        do {
            try set(FileAccess.listName, Self.list(user: 4, group: 0), at: folder + "/probe")
            try set("user.probe", [1], at: folder + "/probe")
        } catch {
            try SkippedCase.end(
                because: "the file system of \(folder) has no access control lists or no attributes: \(error)", isRequired: true)
        }
        try FileManager.default.removeItem(atPath: folder + "/probe")
    }

    @Test("A list and attributes of users stay, in the file, in its durable copy and in what is set aside", arguments: [nil, SystemErrorCode.notPermitted])
    func kept(linkFault: SystemErrorCode?) throws {
        try withLists { folder in
            let path = folder + "/file", list = Self.list(user: 4, group: 0)
            try write(path, mode: 0o600)
            try set(FileAccess.listName, list, at: path)
            try set("user.origin", Array("somewhere".utf8), at: path)
            #expect(try mode(path) == 0o640)  // which is the mask, and not the group's
            let file = DurableFile(path: path, operations: FaultyFileOperations(failing: linkFault.map { ["link": $0] } ?? [:]))
            try replace(file)
            _ = try DurableGeneration(of: file).keep(nil) { _ in true }
            let aside = try file.withLock { try $0.replace(with: [], settingAsideAs: "aside").oldPath }
            for path in [path, path + ".durable", aside] {
                #expect(try self.list(of: path) == list, "\(path)")
                #expect(try mode(path) == 0o640)
                #expect(try operations.attribute("user.origin", at: path) == Array("somewhere".utf8))
            }
        }
    }

    @Test("Attributes of users stay, also where the mode keeps their owner from writing")
    func keptReadOnly() async throws {
        try await withTemporaryFolder { outer in
            try requireLists(in: outer)
            let folder = outer + "/home", path = folder + "/file"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try write(path, mode: 0o400)
            try set("user.origin", Array("somewhere".utf8), at: path)
            #expect(chmod(outer, 0o755) == 0)
            if geteuid() == 0 { for path in [folder, path] { #expect(chown(path, 4321, 4321) == 0) } }
            await #expect(processExitsWith: .success) { [path = path as String] in
                if geteuid() == 0 { try #require(seteuid(4321) == 0) }  // root may write to it
                _ = try DurableFile(path: path).withLock { try $0.replace(with: [1], durably: false) }
            }
            #expect(try mode(path) == 0o400)
            #expect(try operations.attribute("user.origin", at: path) == Array("somewhere".utf8))
        }
    }

    @Test("A list that cannot be kept, or not be read, leaves the file to its owner", arguments: ["setAttribute", "attribute", "attributeNames"])
    func narrowed(call: String) throws {
        try withLists { folder in
            let path = folder + "/file"
            try write(path, mode: 0o600)
            try set(FileAccess.listName, Self.list(user: 4, group: 0, others: 4), at: path)
            try replace(DurableFile(path: path, operations: FaultyFileOperations(failing: [call: .ioFailed])))
            #expect(try list(of: path) == nil)
            #expect(try mode(path) == 0o600)
        }
    }

    @Test("The list that a folder gives to new files opens none that had none", arguments: [0o600, 0o640, 0o664])
    func foldersList(mode wanted: UInt32) throws {
        try withLists { folder in
            let path = folder + "/file"
            try write(path, mode: wanted)
            try set("system.posix_acl_default", Self.list(user: 6, group: 6, others: 6), at: folder, .folder)
            let file = DurableFile(path: path)
            try replace(file)
            #expect(try mode(path) == wanted)
            if wanted & 0o070 != 0 { #expect(try list(of: path) == nil) }
            #expect(try mode(path + ".lock") == FileAccess.lockMode(wanted))
            if wanted & 0o020 != 0 { #expect(try list(of: path + ".lock") == nil) }
            // Where no bit of the group opens its mask, it gives nobody anything.
            _ = try DurableFile(path: folder + "/new").withLock { try $0.replace(with: [], durably: false) }
            #expect(try mode(folder + "/new") == 0o600)
        }
    }

    @Test("Attributes for which there is no room are left out")
    func noRoomForAttributes() throws {
        try withLists { folder in
            let path = folder + "/file"
            try write(path, mode: 0o600)
            try set("user.origin", Array("somewhere".utf8), at: path)
            try replace(DurableFile(path: path, operations: FaultyFileOperations(failing: ["setAttribute": .noSpace])))
            #expect(try contents(ofFile: path) == "new")
            #expect(try operations.attributeNames(at: path).contains("user.origin") == false)
        }
    }

    @Test("A file with a list whose owner cannot be kept is not replaced: its owner would be shut out, and its entries mean others")
    func ownerStays() throws {
        try SkippedCase.endUnlessRoot(because: "only root can give a file away")
        try withLists { folder in
            let path = folder + "/file", list = Self.list(user: 6, group: 0)
            try write(path, mode: 0o600)
            #expect(chown(path, 1234, 1234) == 0)
            try set(FileAccess.listName, list, at: path)
            // Only root gives files away.
            let file = DurableFile(path: path, operations: FaultyFileOperations(failing: ["changeOwner": .notPermitted]))
            let error = try #require(throws: FileError.self) { try replace(file) }
            #expect(error.code == .notPermitted && error.description.contains("access control list (getfacl shows it)"), "\(error)")
            #expect(try contents(ofFile: path) == "old" && self.list(of: path) == list)
            #expect(try operations.status(at: path, followingLinks: false).user == 1234)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["file", "file.lock"])
            try replace(DurableFile(path: path))
            let status = try operations.status(at: path, followingLinks: false)
            #expect(try self.list(of: path) == list && status.user == 1234 && status.group == 1234, "root keeps both")
        }
    }

    @Test("Whom a list lets write is refused, and leaves no lock that would shut out the owner")
    func writerByList() async throws {
        try SkippedCase.endUnlessRoot(because: "only root can become another user")
        try await withTemporaryFolder { folder in
            try requireLists(in: folder)
            let path = folder + "/file"
            try write(path, mode: 0o600)
            #expect(chown(path, 1234, 1234) == 0 && chmod(folder, 0o777) == 0)
            try set(FileAccess.listName, Self.list(user: 6, group: 0), at: path)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try #require(setegid(4321) == 0 && seteuid(4321) == 0)
                let error = #expect(throws: FileError.self) { _ = try DurableFile(path: path).lock(timeout: nil) }
                #expect(error?.operation == .lock && error?.code == .notPermitted)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        }
    }

    @Test("Where files have neither list nor attributes, looking for them is one call")
    func cost() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let file = DurableFile(path: folder + "/file", operations: operations)
            try replace(file)
            let first = operations.calls.count
            try replace(file)
            #expect(operations.calls[first...] == ["open locking", "lock", "attributeNames", "open creating", "write", "flush", "rename"])
        }
    }

    // MARK: Locks

    @Test(
        "Those may open the locks who may write the file, and no reader, also when its mode has changed",
        arguments: [
            (0o600, 0o600), (0o644, 0o600), (0o640, 0o600), (0o400, 0o600), (0o660, 0o660), (0o664, 0o660), (0o666, 0o666), (0o622, 0o666),
        ] as [(UInt32, UInt32)])
    func locks(mode fileMode: UInt32, expected: UInt32) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            let file = DurableFile(path: path)
            func useLocks() throws {
                try replace(file)
                _ = try DurableGeneration(of: file).keep(nil) { _ in true }
            }
            try write(path, mode: fileMode)
            try useLocks()
            for mode in [fileMode, 0o600, fileMode] {
                #expect(chmod(path, mode) == 0)
                try useLocks()
                for lock in [path + ".lock", path + ".durable.lock"] {
                    #expect(try self.mode(lock) == (mode == fileMode ? expected : 0o600), "\(lock)")
                }
            }
        }
    }

    @Test("The lock of a file with a list is its owner's, also when the file gets the list later")
    func lockWithList() throws {
        try withLists { folder in
            let path = folder + "/file"
            try write(path, mode: 0o660)
            try replace(DurableFile(path: path))
            #expect(try mode(path + ".lock") == 0o660)
            for list in [Self.list(user: 6, group: 4, others: 4), Self.list(user: 4, group: 6)] {
                try set(FileAccess.listName, list, at: path)
                try replace(DurableFile(path: path))
                #expect(try mode(path + ".lock") == 0o600 && self.list(of: path) == list)
            }
            // As an earlier version left it.
            try set(FileAccess.listName, Self.list(user: 6, group: 0), at: path + ".lock")
            #expect(try mode(path + ".lock") == 0o660)
            try replace(DurableFile(path: path))
            #expect(try mode(path + ".lock") == 0o600)
        }
    }

    @Test("Another file in the lock's place does not become accessible to others")
    func anotherFileAsLock() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try write(path, mode: 0o666)
            try write(folder + "/secret", mode: 0o600)
            #expect(link(folder + "/secret", path + ".lock") == 0)
            try replace(DurableFile(path: path))
            #expect(try mode(folder + "/secret") == 0o600)
        }
    }

    // MARK: Root

    @Test("Files that root creates beside a user's file, or in a user's folder, belong to that user")
    func madeByRoot() async throws {
        try SkippedCase.endUnlessRoot(because: "only root can create files for others")
        try await withTemporaryFolder { outer in
            let home = outer + "/home"
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
            #expect(chown(home, 4321, 4322) == 0 && chmod(outer, 0o755) == 0)
            let path = home + "/new/folder/file"
            try await PreferencesFile.ofAnotherProcess(path).setAndFlush(1)
            for number: UInt8 in 1...2 { try await writeSecret(in: home, number) }
            for path in try [home + "/new", home + "/new/folder"] + FileManager.default.subpathsOfDirectory(atPath: home).map({ home + "/" + $0 }) {
                let status = try operations.status(at: path, followingLinks: false)
                #expect(status.user == 4321 && status.group == 4322, "\(path)")
                #expect(status.mode == (status.kind == .folder ? 0o700 : 0o600), "\(path)")
            }
            await #expect(processExitsWith: .success) { [path = path as String] in
                try #require(setegid(4322) == 0 && seteuid(4321) == 0)
                try await PreferencesFile(path: path).setAndFlush(2)
                try await writeSecret(in: String(path.dropLast("/new/folder/file".count)), 3)
            }
            // A file of somebody in a folder of root's.
            let shared = outer + "/file"
            try write(shared, mode: 0o600)
            #expect(chown(shared, 4321, 4322) == 0)
            try replace(DurableFile(path: shared))
            for path in [shared, shared + ".lock"] {
                #expect(try operations.status(at: path, followingLinks: false).user == 4321, "\(path)")
            }
        }
    }

    @Test("A lock that root was killed before giving away is given away with root's next change", arguments: [true, false])
    func lockOfRoot(isFileThere: Bool) throws {
        try SkippedCase.endUnlessRoot(because: "only root can give a lock away")
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            #expect(chown(folder, 4321, 4322) == 0)
            if isFileThere {
                try write(path, mode: 0o600)
                #expect(chown(path, 4321, 4322) == 0)
            }
            try Data().write(to: URL(fileURLWithPath: path + ".lock"))
            #expect(chmod(path + ".lock", 0o600) == 0)
            try replace(DurableFile(path: path))
            for path in [path, path + ".lock"] {
                let status = try operations.status(at: path, followingLinks: false)
                #expect(status.user == 4321 && status.group == 4322 && status.mode == 0o600, "\(path)")
            }
        }
    }

    @Test("Replacing a folder with a link while root creates something in it gives no access to the other folder", arguments: [1, 2])
    func folderTurned(atCreation number: Int) throws {
        try SkippedCase.endUnlessRoot(because: "only root can create files for others")
        try withTemporaryFolder { outer in
            let home = outer + "/home", other = outer + "/other"
            for folder in [home, other] { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }
            try write(home + "/file", mode: 0o660)
            #expect(chown(home, 4321, 4322) == 0 && chown(home + "/file", 4321, 4322) == 0)
            let creations = Counter()
            // First the lock is made, then the temporary file.
            let faulty = FaultyFileOperations { call in
                guard call == "open creating", creations.next() == number else { return }
                #expect(rename(home, home + ".old") == 0 && symlink(other, home) == 0 && lchown(home, 4321, 4322) == 0)
            }
            try? replace(DurableFile(path: home + "/file", operations: faulty))
            #expect(creations.next() > number)
            for name in try FileManager.default.contentsOfDirectory(atPath: other) {
                let status = try operations.status(at: other + "/" + name, followingLinks: false)
                #expect(status.user == 0 && status.group == 0, "\(name)")
            }
        }
    }
}

extension FileAccessTests {
    @Test("Nor does it where root creates an empty file")
    func folderTurnedBeforeCreation() throws {
        try SkippedCase.endUnlessRoot(because: "only root can create files for others")
        try withTemporaryFolder { outer in
            let home = outer + "/home", other = outer + "/other"
            for folder in [home, other] { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }
            #expect(chown(home, 4321, 4322) == 0)
            let faulty = FaultyFileOperations { call in
                guard call == "open creating" else { return }
                #expect(rename(home, home + ".old") == 0 && symlink(other, home) == 0 && lchown(home, 4321, 4322) == 0)
            }
            try? DurableFile(path: home + "/file", operations: faulty).createIfMissing()
            let status = try operations.status(at: other + "/file", followingLinks: false)
            #expect(status.user == 0 && status.group == 0)
        }
    }
}

private func writeSecret(in folder: String, _ number: UInt8) async throws {
    let keyring = EncryptedFileKeyring(path: folder + "/secrets", key: .generatedFile(folder + "/key"), deadline: hangLimit)
    try await keyring.write(Secret([number]), for: SecretIdentifier(service: "s", account: "a"), label: "")
}

extension PreferencesFile {
    fileprivate func setAndFlush(_ number: Int) async throws {
        StoredValue(key: "a", default: 0, storage: self).set(number)
        try await flush()
    }
}
