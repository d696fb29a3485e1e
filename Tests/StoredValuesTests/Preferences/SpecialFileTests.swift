import Foundation
import Testing

@testable import StoredValues

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Something else where the preferences file should be", .hangLimit)
struct SpecialFileTests {}

extension SpecialFileTests {
    /// What is put there.
    enum Obstacle: CaseIterable {
        case fifo, folder, socket, zeros, null, linkToItself, linkCircle, fileForFolder

        /// What the error says of it.
        var words: String {
            switch self {
            case .fifo: "it is a FIFO"
            case .folder: "it is a folder"
            case .socket: "it is a socket"
            case .zeros, .null: "it is a device"
            case .linkToItself, .linkCircle: "its path has a symlink loop"
            case .fileForFolder: "ENOTDIR"
            }
        }

        /// The device that a link in `folder` leads to.
        func device(in folder: String) -> String? {
            switch self {
            case .zeros: MemoryDevice.zero.path(in: folder)
            case .null: MemoryDevice.null.path(in: folder)
            default: nil
            }
        }

        func make(at path: String) throws {
            switch self {
            case .fifo: try #require(mkfifo(path, 0o600) == 0)
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .socket: try makeSocket(at: path)
            case .zeros, .null:
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
                try #require(symlink(try #require(device(in: folder)), path) == 0)
            case .linkToItself: try #require(symlink(path, path) == 0)
            case .linkCircle:
                try #require(symlink("p.other", path) == 0)
                try #require(symlink("p.json", URL(fileURLWithPath: path).deletingLastPathComponent().path + "/p.other") == 0)
            case .fileForFolder: break  // see `path(in:)`
            }
        }

        /// The path of the preferences in `folder`.
        func path(in folder: String) throws -> String {
            guard self == .fileForFolder else { return folder + "/p.json" }
            try "a file".write(toFile: folder + "/f", atomically: false, encoding: .utf8)
            return folder + "/f/p.json"
        }

        private func makeSocket(at path: String) throws {
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
            try #require(bound == 0)
        }
    }

    /// Which file lies at `path`, and of which kind; links are not followed. Nil when nothing can lie there.
    private func identity(_ path: String) -> [UInt64]? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return [UInt64(status.st_ino), UInt64(status.st_mode)]
    }

    @Test("It is named and never replaced; changes stay in memory, and are written once it is out of the way", arguments: Obstacle.allCases)
    func obstacle(obstacle: Obstacle) async throws {
        try await withTemporaryFolder { folder in
            let path = try obstacle.path(in: folder)
            try obstacle.make(at: path)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let before = identity(path)
            #expect((before == nil) == (obstacle == .fileForFolder))

            let storage = PreferencesFile.ofAnotherProcess(path)  // which tries nothing again by itself
            let n = StoredValue(key: "n", default: -1, storage: storage)
            #expect(n.wrappedValue == -1)
            n.set(1)
            n.update { $0 += 1 }
            #expect(n.wrappedValue == 2)
            let error = await #expect(throws: PreferencesError.self) { try await storage.flush() }
            let text = try #require(error).description
            let device = obstacle.device(in: folder)
            #expect(text.contains(device ?? path) && text.contains(obstacle.words), "\(text)")
            #expect(identity(path) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == names, "nothing is left beside it")
            if let device { #expect(!FileManager.default.fileExists(atPath: device + ".lock")) }

            if obstacle == .fileForFolder {
                try FileManager.default.removeItem(atPath: folder + "/f")
            } else {
                try FileManager.default.removeItem(atPath: path)
                try #"{"n": 5, "s": 6}"#.write(toFile: path, atomically: false, encoding: .utf8)
            }
            n.update { $0 += 1 }
            try await storage.flush()
            let other = PreferencesFile.ofAnotherProcess(path)
            #expect(StoredValue(key: "n", default: -1, storage: other).wrappedValue == 3)
            #expect(other.keys == (obstacle == .fileForFolder ? ["n"] : ["n", "s"]))
        }
    }

    @Test("A link to a file that is not there yet, or whose folder is not, is kept, and the file is made", arguments: ["target.json", "new/folder/target.json"])
    func danglingLink(target: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try #require(symlink(target, path) == 0)
            let storage = PreferencesFile(path: path)
            let n = StoredValue(key: "n", default: -1, storage: storage)
            #expect(n.wrappedValue == -1 && !n.isStored)
            n.set(1)
            try await storage.flush()
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
            #expect(try contents(ofFile: folder + "/" + target) == "{\n  \"n\": 1\n}\n")
        }
    }

    @Test("What takes the file's place while the program runs is not replaced either", arguments: [Obstacle.fifo, .folder, .null])
    func later(obstacle: Obstacle) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let storage = PreferencesFile.ofAnotherProcess(path)  // as above
            let n = StoredValue(key: "n", default: -1, storage: storage)
            n.set(1)
            try FileManager.default.moveItem(atPath: path, toPath: folder + "/moved.json")
            try obstacle.make(at: path)
            let before = identity(path)
            n.set(2)
            #expect(n.wrappedValue == 2)
            await #expect(throws: PreferencesError.self) { try await storage.flush() }
            #expect(identity(path) == before)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: folder + "/moved.json", toPath: path)
            try await storage.flush()
            #expect(try contents(ofFile: path) == "{\n  \"n\": 2\n}\n")
        }
    }
}
