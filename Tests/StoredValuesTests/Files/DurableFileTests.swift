import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("DurableFile", .hangLimit)
struct DurableFileTests {}

extension DurableFileTests {
    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @discardableResult
    private func replace(_ file: DurableFile, with text: String, durably: Bool = false) throws -> FileIdentity {
        try file.withLock { try $0.replace(with: Array(text.utf8), durably: durably) }
    }

    private func text(_ file: DurableFile) throws -> String? {
        try file.read().map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("A file that is not there reads as nil and reading makes nothing")
    func absent() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/a/b/file")
            #expect(try file.read() == nil)
            #expect(try file.currentIdentity() == nil)
            try file.sync()
            #expect(try names(in: folder) == [])
        }
    }

    @Test("New files are 0600, new folders 0700, and only the file and its lock remain", arguments: [false, true])
    func modes(durably: Bool) throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/a/b/file")
            let identity = try replace(file, with: "one", durably: durably)
            #expect(try mode(folder + "/a") == 0o700)
            #expect(try mode(folder + "/a/b") == 0o700)
            #expect(try mode(folder + "/a/b/file") == 0o600)
            #expect(try mode(folder + "/a/b/file.lock") == 0o600)
            #expect(try names(in: folder + "/a/b") == ["file", "file.lock"])
            #expect(try file.read() == FileContents(bytes: Array("one".utf8), identity: identity))
            #expect(try file.currentIdentity() == identity)
            try file.sync()
        }
    }

    @Test("Empty and large contents come back as they were written, short writes or not", arguments: [0, 1, 4096, 300_001])
    func contents(count: Int) throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file", operations: FaultyFileOperations(longestWrite: 100_000))
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            _ = try file.withLock { try $0.replace(with: bytes, durably: false) }
            #expect(try file.read()?.bytes == bytes)
        }
    }

    @Test("Every replacement changes the identity, even with the same bytes")
    func identity() throws {
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file")
            let first = try replace(file, with: "same")
            let second = try replace(file, with: "same")
            #expect(first != second)
        }
    }

    @Test("An existing file keeps its mode", arguments: [0o600, 0o640, 0o644, 0o400])
    func existingMode(mode wanted: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            #expect(FileManager.default.createFile(atPath: path, contents: Data("old".utf8)))
            try FileManager.default.setAttributes([.posixPermissions: wanted], ofItemAtPath: path)
            let file = DurableFile(path: path)
            try replace(file, with: "new")
            #expect(try mode(path) == wanted)
            #expect(try text(file) == "new")
        }
    }

    @Test("An existing file keeps its owner where the system allows it")
    func existingOwner() throws {
        try SkippedCase.endUnlessRoot(because: "only root can give a file away")
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
            #expect(chown(path, 4321, 4322) == 0)
            #expect(chmod(path, 0o660) == 0)
            try replace(DurableFile(path: path), with: "new")
            var attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 4321)
            #expect(attributes[.groupOwnerAccountID] as? Int == 4322)
            // Where it does not, the replacement succeeds, and no other group gets the old group's permissions.
            let refused = FaultyFileOperations(failing: ["changeOwner": .notPermitted])
            try replace(DurableFile(path: path, operations: refused), with: "newer")
            attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 0)
            #expect(try mode(path) == 0o600)
        }
    }

    @Test("Links are kept and what they lead to is replaced, with lock and temporary file beside the real file")
    func links() throws {
        try withTemporaryFolder { folder in
            let manager = FileManager.default
            try manager.createDirectory(atPath: folder + "/dotfiles", withIntermediateDirectories: true)
            try manager.createDirectory(atPath: folder + "/config", withIntermediateDirectories: true)
            try manager.createSymbolicLink(atPath: folder + "/dots", withDestinationPath: "dotfiles")
            try manager.createSymbolicLink(atPath: folder + "/config/file", withDestinationPath: "../dots/real")
            let file = DurableFile(path: folder + "/config/./file")
            let way = ResolvedPath.follow(file.path, operations: file.operations)
            #expect(way.target == folder + "/dotfiles/real" && way.obstacle == nil)
            #expect(way.links == [folder + "/config/file", folder + "/dots"])
            for text in ["through a dangling link", "through a link"] {
                try replace(file, with: text)
                #expect(try self.text(DurableFile(path: folder + "/dotfiles/real")) == text)
                #expect(try manager.destinationOfSymbolicLink(atPath: folder + "/config/file") == "../dots/real")
            }
            #expect(try names(in: folder + "/config") == ["file"])
            #expect(try names(in: folder + "/dotfiles") == ["real", "real.lock"])
        }
    }

    @Test("That a path is the real one is known at once only of what is there, without a link on the way and spelt as the system spells it")
    func realPath() throws {
        try withTemporaryFolder { folder in
            let operations = FileOperations.posix
            try FileManager.default.createDirectory(atPath: folder + "/real", withIntermediateDirectories: false)
            try replace(DurableFile(path: folder + "/real/file"), with: "x")
            try FileManager.default.createSymbolicLink(atPath: folder + "/folder", withDestinationPath: "real")
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "real/file")
            #expect(operations.hasNoLinks(folder + "/real/file") && operations.hasNoLinks(folder + "/real"))
            for other in ["/folder/file", "/link", "/folder", "/real/../real/file", "/real//file", "/real/./file", "/real/", "/none"] {
                #expect(!operations.hasNoLinks(folder + other), "\(other)")
            }
            for other in ["/folder/file", "/link", "/real/../real/file", "/real//file", "/real/./file"] {
                #expect(try DurableFile(path: folder + other).resolvedPath == folder + "/real/file", "\(other)")
            }
        }
    }

    @Test("A name may begin with a mark that would join the slash before it")
    func combiningMark() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/new/\u{301}accent"
            let file = DurableFile(path: path)
            #expect(try ResolvedPath.folder(of: file.resolvedPath) == folder + "/new")
            try replace(file, with: "x", durably: true)
            #expect(try text(file) == "x")
            // The same where a link comes before it, in the text of one, and where it is left again.
            try FileManager.default.createSymbolicLink(atPath: folder + "/alias", withDestinationPath: "new")
            let way = ResolvedPath.follow(folder + "/alias/\u{301}accent", operations: file.operations)
            #expect(way.target == path && way.links == [folder + "/alias"])
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "alias/\u{301}accent")
            #expect(try DurableFile(path: folder + "/link").resolvedPath == path)
            try FileManager.default.createDirectory(atPath: folder + "/new/\u{301}x", withIntermediateDirectories: false)
            #expect(try DurableFile(path: folder + "/new/\u{301}x/../f").resolvedPath == folder + "/new/f")
        }
    }

    @Test("What \"..\" leads out of must be a folder, or a file would be written where it is not read")
    func parentOfNone() throws {
        try withTemporaryFolder { folder in
            try replace(DurableFile(path: folder + "/plain"), with: "x")
            for (way, error) in [("plain", SystemErrorCode.notFolder), ("none", .noEntry)] {
                let path = "\(folder)/\(way)/../file"
                #expect(throws: FileError(.examine, path, error)) { try replace(DurableFile(path: path), with: "x") }
                #expect(!FileManager.default.fileExists(atPath: folder + "/file"))
            }
            for end in ["/", "/."] {
                let path = folder + "/none" + end
                #expect(throws: FileError(.examine, path, .isFolder)) { try replace(DurableFile(path: path), with: "x") }
                #expect(throws: FileError.self) { try DurableFile(path: path).read() }
                #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
            }
        }
    }

    @Test("A symlink loop is an error, and so is a file where a folder should be")
    func circle() throws {
        try withTemporaryFolder { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/a", withDestinationPath: "b")
            try FileManager.default.createSymbolicLink(atPath: folder + "/b", withDestinationPath: "a")
            let file = DurableFile(path: folder + "/a")
            #expect(throws: FileError(.read, folder + "/a", .tooManyLinks)) { try file.read() }
            #expect(throws: FileError(.examine, folder + "/a", .tooManyLinks)) { try replace(file, with: "x") }
            let below = DurableFile(path: folder + "/plain/file")
            try replace(DurableFile(path: folder + "/plain"), with: "x")
            #expect(throws: FileError(.read, folder + "/plain/file", .notFolder)) { try below.read() }
            #expect(throws: FileError.self) { try replace(below, with: "x") }
        }
    }

    @Test("A file whose folder could not be synced, for lack of room, is not replaced once more, and the error says that it is replaced")
    func unsyncedFolder() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations(), file = DurableFile(path: folder + "/file", operations: operations)
            try replace(file, with: "old")
            operations.fail("synchronize folder", with: .tooManyOpenFiles)
            let before = operations.calls.count
            let error = #expect(throws: FileError.self) { try replace(file, with: "new", durably: true) }
            #expect(error?.operation == .synchronize)
            #expect(try text(file) == "new")
            #expect(operations.calls[before...].count { $0.hasPrefix("rename") } == 1, "\(operations.calls)")
        }
    }

    @Test("Anything but a regular file is refused at once")
    func kinds() throws {
        try withTemporaryFolder { folder in
            #expect(mkfifo(folder + "/fifo", 0o600) == 0)
            try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: false)
            for (path, kind) in [(folder + "/fifo", FileKind.fifo), (folder + "/folder", .folder), (MemoryDevice.null.path(in: folder), .device)] {
                let file = DurableFile(path: path)
                #expect(throws: FileError(.read, path, .notRegular(kind))) { try file.read() }
                #expect(throws: FileError(.examine, path, .notRegular(kind))) { try file.currentIdentity() }
                #expect(throws: FileError(.lock, path, .notRegular(kind))) { try replace(file, with: "x") }
                #expect(!FileManager.default.fileExists(atPath: path + ".lock"), "nothing is left beside it")
            }
        }
    }

    @Test("A file beyond the size limit is refused unread")
    func size() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(truncate(path, off_t(DurableFile.sizeLimit) + 1) == 0)
            #expect(throws: FileError(.read, path, .tooLarge(limit: 64 << 20))) { try DurableFile(path: path).read() }
        }
    }

    @Test(
        "After a failure the file is as it was and no temporary file remains",
        arguments: [
            "open creating", "write", "changeMode", "synchronize", "rename",
        ])
    func failure(call: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try replace(DurableFile(path: path), with: "old")
            #expect(chmod(path, 0o640) == 0)  // another mode than new files have
            let operations = FaultyFileOperations(failing: [call: .noSpace], longestWrite: 2)
            let file = DurableFile(path: path, operations: operations)
            #expect(throws: FileError(.replace, path, .noSpace)) { try replace(file, with: "new text", durably: true) }
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file", "file.lock"])
            operations.fail(call, with: nil)
            try replace(file, with: "new text", durably: true)
            #expect(try text(file) == "new text")
        }
    }

    @Test("A read-only file system and a forbidden folder are reported as such")
    func refused() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            for code in [SystemErrorCode.readOnly, .accessDenied] {
                let file = DurableFile(path: path, operations: FaultyFileOperations(failing: ["open locking": code]))
                #expect(throws: FileError(.lock, path + ".lock", code)) { try replace(file, with: "x") }
            }
            let description = "\(FileError(.replace, "/x/preferences.json", .noSpace))"
            #expect(
                description
                    == #"Could not replace "/x/preferences.json": no space left on device (ENOSPC). Free some space; the file is unchanged."#)
        }
    }

    @Test("A temporary file that a dead process left is no obstacle, not even as a link")
    func leftOver() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try replace(DurableFile(path: folder + "/victim"), with: "untouched")
            try FileManager.default.createSymbolicLink(
                atPath: DurableFile.temporaryPath(of: path), withDestinationPath: "victim")
            try replace(DurableFile(path: path), with: "new")
            #expect(try text(DurableFile(path: path)) == "new")
            #expect(try text(DurableFile(path: folder + "/victim")) == "untouched")
        }
    }

    @Test("What is beside the file and is not the library's stays, and the temporary name fits however long the name is", arguments: [1, 200, 236, 237, 255])
    func names(length: Int) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/" + String(repeating: "n", count: length)
            let temporary = DurableFile.temporaryPath(of: path)
            #expect(ResolvedPath.folder(of: temporary) == folder)
            let name = ResolvedPath.name(of: temporary)
            #expect(name.hasPrefix(".") && name.hasSuffix(".stored-values.tmp") && name.utf8.count <= 255)
            #expect(length > 236 || name == ".\(ResolvedPath.name(of: path)).stored-values.tmp")
            #expect(temporary != DurableFile.temporaryPath(of: path.dropLast() + "m"))
            guard length <= 200 else { return }
            try Data("somebody's".utf8).write(to: URL(fileURLWithPath: path + ".tmp"))
            try replace(DurableFile(path: path), with: "x", durably: true)
            #expect(try String(contentsOfFile: path + ".tmp", encoding: .utf8) == "somebody's")
        }
    }

    @Test("A link of another user is not followed where everybody may make one")
    func foreignLink() throws {
        try SkippedCase.endUnlessRoot(because: "only root can give a link away")
        try withTemporaryFolder { folder in
            let open = folder + "/open", link = open + "/link"
            try FileManager.default.createDirectory(atPath: open, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder + "/victim")
            let file = DurableFile(path: link)
            // Whose the folder is, with which mode, and whose the link; root follows it.
            let cases: [(uid_t, mode_t, uid_t, isFollowed: Bool)] = [
                (0, 0o1777, 4321, false), (4322, 0o1777, 4321, false), (0, 0o1777, 0, true), (4321, 0o1777, 4321, true),
                (0, 0o777, 4321, true), (0, 0o1775, 4321, true),
            ]
            for (owner, mode, maker, isFollowed) in cases {
                #expect(chown(open, owner, 0) == 0 && chmod(open, mode) == 0 && lchown(link, maker, 0) == 0)
                if isFollowed {
                    try replace(file, with: "x")
                    #expect(try text(DurableFile(path: folder + "/victim")) == "x")
                    try FileManager.default.removeItem(atPath: folder + "/victim")
                } else {
                    #expect(throws: FileError(.examine, link, .foreignLink)) { try replace(file, with: "x") }
                    #expect(!FileManager.default.fileExists(atPath: folder + "/victim"))
                    // On the way to a file it is no more than a folder's other name.
                    #expect(try DurableFile(path: link + "/file").resolvedPath == folder + "/victim/file")
                }
            }
        }
    }

    @Test("The order of a durable replacement: write, synchronise, rename, synchronise the folder")
    func order() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            let file = DurableFile(path: folder + "/file", operations: operations)
            try replace(file, with: "x", durably: true)
            #expect(
                operations.calls == [
                    "open locking", "open creating", "lock", "open creating", "write", "synchronize", "rename", "open folder",
                    "synchronize folder",
                ])
        }
    }

    @Test("The parents of folders that were made are synchronised too")
    func newFolders() throws {
        try withTemporaryFolder { folder in
            let operations = FaultyFileOperations()
            try replace(DurableFile(path: folder + "/a/b/file", operations: operations), with: "x", durably: true)
            #expect(operations.calls.count { $0 == "synchronize folder" } == 3)
        }
    }

    /// No links at all, or none for this file, or no more; then the file is copied.
    private static let linkFaults: [SystemErrorCode?] = [nil, .notPermitted, .notSupported, .notImplemented, .tooManyNames]

    @Test("Setting aside never overwrites, and keeps the mode", arguments: linkFaults)
    func setAside(fault: SystemErrorCode?) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            let file = DurableFile(path: path, operations: FaultyFileOperations(failing: fault.map { ["link": $0] } ?? [:]))
            try replace(file, with: "0")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            for (round, name) in ["file.old", "file.old-1", "file.old-2"].enumerated() {
                let new = Array("\(round + 1)".utf8)
                let result = try file.withLock { try $0.replace(with: new, settingAsideAs: "old") }
                #expect(result.oldPath == folder + "/" + name)
                #expect(try file.read() == FileContents(bytes: new, identity: result.identity))
                #expect(try text(DurableFile(path: result.oldPath)) == "\(round)")
                #expect(try mode(result.oldPath) == 0o640 && mode(path) == 0o640)
            }
            try file.withLock { try $0.remove() }
            #expect(throws: FileError(.setAside, path, .noEntry)) {
                try file.withLock { _ = try $0.replace(with: [], settingAsideAs: "old") }
            }
            #expect(try names(in: folder) == ["file.lock", "file.old", "file.old-1", "file.old-2"])
        }
    }

    @Test("While a file is set aside there is a file at every instant", arguments: linkFaults)
    func setAsideWithoutGap(fault: SystemErrorCode?) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try replace(DurableFile(path: path), with: "old")
            let found = Guarded<Set<String?>>([])
            let operations = FaultyFileOperations(failing: fault.map { ["link": $0] } ?? [:]) { _ in
                let text = try? String(contentsOfFile: path, encoding: .utf8)
                found.withLock { _ = $0.insert(text) }
            }
            let file = DurableFile(path: path, operations: operations)
            _ = try file.withLock { try $0.replace(with: Array("new".utf8), settingAsideAs: "rejected") }
            #expect(found.withLock { $0 } == ["old", "new"])
            #expect(try text(file) == "new")
        }
    }

    @Test("When the replacement fails, nothing stays set aside", arguments: ["open creating", "write", "flush", "rename"])
    func setAsideInVain(call: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file"
            try replace(DurableFile(path: path), with: "old")
            for fault in Self.linkFaults {
                let faults = [call: SystemErrorCode.noSpace].merging(fault.map { ["link": $0] } ?? [:]) { $1 }
                let file = DurableFile(path: path, operations: FaultyFileOperations(failing: faults))
                #expect(throws: FileError.self) {
                    try file.withLock { _ = try $0.replace(with: Array("new".utf8), settingAsideAs: "rejected") }
                }
                #expect(try text(file) == "old")
                #expect(try names(in: folder) == ["file", "file.lock"])
            }
        }
    }

    @Test("Removing is idempotent, and rethrown errors release the lock")
    func remove() throws {
        struct Mine: Error {}
        try withTemporaryFolder { folder in
            let file = DurableFile(path: folder + "/file")
            try replace(file, with: "x")
            for _ in 0..<2 { try file.withLock { try $0.remove() } }
            #expect(try file.read() == nil)
            #expect(throws: Mine.self) { try file.withLock { _ in throw Mine() } }
            try replace(file, with: "y")
        }
    }
}
