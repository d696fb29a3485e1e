import Testing

@testable import StoredValues

@Suite("FileError")
struct FileErrorTests {
    @Test("Every sentence says what was tried, on what, why it failed and what to do", arguments: [
        (FileError.Reason.system(.noSpace), "no space left on device (ENOSPC)"),
        (.system(.readOnly), "read-only file system (EROFS)"),
        (.system(.accessDenied), "permission denied (EACCES)"),
        (.system(.notFolder), "not a directory (ENOTDIR)"),
        (.system(SystemErrorCode(rawValue: 71)), "(errno 71)"),
        (.notRegular(.fifo), "it is a FIFO, not a regular file"),
        (.tooLarge(limit: 64 << 20), "larger than 64 MiB"),
        (.lockTimedOut(after: .seconds(2)), "kept its lock for 2.0 seconds"),
        (.tooManyLinks, "more than 40"),
        (.noFreeName, "every name beside it is taken"),
    ])
    func wording(reason: FileError.Reason, why: String) {
        let sentence = "\(FileError(.replace, "/x/preferences.json", reason))"
        #expect(sentence.hasPrefix(#"Could not replace "/x/preferences.json": "#))
        #expect(sentence.contains(why))
        #expect(sentence.hasSuffix("."))
        #expect(sentence.split(separator: ". ").count >= 2)
    }
}
