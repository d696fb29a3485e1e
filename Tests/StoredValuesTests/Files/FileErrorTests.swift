import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("FileError")
struct FileErrorTests {}

extension FileErrorTests {
    @Test(
        "Every message says what was tried, on which file, why it failed and what to do",
        arguments: [
            (FileError.Reason.system(.noSpace), "no space left on device (ENOSPC)"),
            (.system(.readOnly), "read-only file system (EROFS)"),
            (.system(.accessDenied), "permission denied (EACCES)"),
            (.system(.notFolder), "not a directory (ENOTDIR)"),
            (.system(SystemErrorCode(rawValue: 71)), "(errno 71)"),
            (.notRegular(.fifo), "it is a FIFO, not a regular file"),
            (.tooLarge(limit: 64 << 20), "larger than 64 MiB"),
            (.lockTimedOut(after: .seconds(2)), "kept its lock for 2.0 seconds"),
            (.tooManyLinks, "more than 40"),
            (.foreignLink, "another user's symbolic link"),
            (.system(.busy), "(EBUSY). It is a mount point"),
            (.noFreeName, "every name beside it is taken"),
            (.changesUnseen(fileSystem: "nfs4"), "a file system (nfs4) that does not report changes made elsewhere"),
            (.mountPoint, "it is a mount point, as with \"docker run -v ./file:/file\", and changes made elsewhere are not reported"),
            (.keepsChanging, "change faster than they can be followed"),
            (.noWorkingFolder, "was removed, or its name is not UTF-8"),
        ])
    func wording(reason: FileError.Reason, why: String) {
        let sentence = "\(FileError(.replace, "/x/preferences.json", reason))"
        #expect(sentence.hasPrefix(#"Could not replace "/x/preferences.json": "#))
        #expect(sentence.contains(why))
        #expect(sentence.hasSuffix("."))
        #expect(sentence.split(separator: ". ").count >= 2)
    }

    @Test("If a lock may not be opened, the error says who should own it", arguments: [SystemErrorCode.accessDenied, .notPermitted])
    func locking(code: SystemErrorCode) {
        #expect("\(FileError(.lock, "/x.lock", code))".contains("to the file's owner (chown, as root)"))
        #expect(!"\(FileError(.replace, "/x", code))".contains("chown"))
    }

    @Test(
        "For watching, error numbers are explained by their meaning there",
        arguments: [
            (SystemErrorCode.noSpace, "all inotify watches", "fs.inotify.max_user_watches"),
            (.tooManyOpenFiles, "all inotify instances", "fs.inotify.max_user_instances"),
            (.accessDenied, "permission denied (EACCES)", "must be readable"),
        ])
    func watching(code: SystemErrorCode, why: String, advice: String) {
        let sentence = "\(FileError(.watch, "/x", code))"
        #expect(sentence.hasPrefix(#"Could not watch "/x": \#(why)"#))
        #expect(sentence.contains(advice))
    }
}
