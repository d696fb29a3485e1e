import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("MemoryDisk")
struct MemoryDiskTests {}

extension MemoryDiskTests {
    @Test("It answers as the system does")
    func likeTheSystem() throws {
        try withTemporaryFolder { folder in
            let memory = MemoryDisk()
            var path = ""
            for part in folder.split(separator: "/") {
                path += "/" + part
                try memory.makeFolder(path, mode: 0o700)
            }
            let expected = answers(FileOperations.posix, in: folder), answers = answers(memory, in: folder)
            #expect(answers == expected)
            #expect(expected.contains("link: EEXIST") && expected.contains("read: <one>"))
        }
    }

    /// What the calls answer that the files of this package make.
    private func answers(_ disk: FileOperations, in folder: String) -> [String] {
        var answers: [String] = []
        func ask(_ name: String, _ call: () throws(SystemErrorCode) -> String) {
            do throws(SystemErrorCode) {
                let answer = try call()
                answers.append("\(name): \(answer)")
            } catch {
                let symbol = "\(error)".split(separator: "(").last?.dropLast() ?? ""
                answers.append("\(name): \(symbol)")
            }
        }
        func identity(_ path: String) throws(SystemErrorCode) -> FileIdentity {
            try disk.status(at: path, followingLinks: false).identity
        }
        let a = folder + "/a", b = folder + "/b", inner = folder + "/inner"
        for purpose in [OpenPurpose.reading, .readingWithoutLinks, .folder] {
            ask("open what is missing") { () throws(SystemErrorCode) in "\(try disk.open(a, for: purpose))" }
        }
        ask("no folder") { () throws(SystemErrorCode) in "\(try disk.open(inner + "/x", for: .creating))" }
        ask("write") { () throws(SystemErrorCode) in
            let file = try disk.open(a, for: .creating)
            defer { disk.close(file) }
            let text = Array("<one>".utf8)
            let count = try text.withUnsafeBufferPointer { buffer throws(SystemErrorCode) in
                try disk.write(file, from: UnsafeRawBufferPointer(buffer))
            }
            try disk.changeMode(of: file, to: 0o640)
            try disk.synchronize(file)
            let status = try disk.status(of: file)
            return "\(count) \(status.kind) \(String(status.mode, radix: 8)) \(status.identity.size)"
        }
        ask("create again") { () throws(SystemErrorCode) in "\(try disk.open(a, for: .creating))" }
        ask("link") { () throws(SystemErrorCode) in
            let before = try identity(a)
            try disk.link(a, to: b)
            return "\(try identity(a).inode == identity(b).inode) \(before == (try identity(a)))"
        }
        ask("link") { () throws(SystemErrorCode) in "\(try disk.link(a, to: b))" }
        ask("link what is missing") { () throws(SystemErrorCode) in "\(try disk.link(inner, to: b + "2"))" }
        ask("rename one file's names") { () throws(SystemErrorCode) in
            try disk.rename(a, to: b)
            return "\(try identity(a).size) \(try identity(b).size)"
        }
        ask("locks") { () throws(SystemErrorCode) in
            let first = try disk.open(a, for: .locking), second = try disk.open(b, for: .locking)
            defer { disk.close(second) }
            try disk.lock(first, waiting: false)
            try disk.lock(first, waiting: false)
            var answer = ""
            do throws(SystemErrorCode) { try disk.lock(second, waiting: false) } catch { answer = "\(error == .wouldBlock)" }
            disk.close(first)
            try disk.lock(second, waiting: true)
            return answer
        }
        ask("unlink") { () throws(SystemErrorCode) in "\(try disk.unlink(a))" }
        ask("unlink again") { () throws(SystemErrorCode) in "\(try disk.unlink(a))" }
        ask("read") { () throws(SystemErrorCode) in
            let file = try disk.open(b, for: .reading)
            defer { disk.close(file) }
            var text = ""
            while true {
                let part = try [UInt8](unsafeUninitializedCapacity: 2) { buffer, count throws(SystemErrorCode) in
                    count = try disk.read(file, into: UnsafeMutableRawBufferPointer(buffer))
                }
                if part.isEmpty { return text }
                text += String(decoding: part, as: UTF8.self)
            }
        }
        ask("make a folder") { () throws(SystemErrorCode) in
            try disk.makeFolder(inner, mode: 0o700)
            return "\(try disk.status(at: inner, followingLinks: true).kind)"
        }
        ask("make it again") { () throws(SystemErrorCode) in "\(try disk.makeFolder(inner, mode: 0o700))" }
        ask("lock a folder") { () throws(SystemErrorCode) in "\(try disk.open(inner, for: .locking))" }
        ask("a file as folder") { () throws(SystemErrorCode) in "\(try disk.open(b, for: .folder))" }
        ask("below a file") { () throws(SystemErrorCode) in "\(try disk.status(at: b + "/x", followingLinks: true).kind)" }
        ask("link text of a file") { () throws(SystemErrorCode) in try disk.readLink(b) }
        ask("link text of nothing") { () throws(SystemErrorCode) in try disk.readLink(a) }
        ask("rename what is missing") { () throws(SystemErrorCode) in "\(try disk.rename(a, to: b))" }
        return answers
    }
}
