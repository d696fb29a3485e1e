import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// The content of a preferences file when it was read.
struct PreferencesReading {
    /// How long a file must be unmodified before it counts as finished. A program that writes in place may have written half of
    /// it.
    static let patience = Duration.milliseconds(200)

    /// The file's identity; nil if there was none.
    let identity: FileIdentity?
    /// Its members, or why it is broken.
    let document: Result<PreferencesDocument, JSONSyntaxError>

    /// Reads with `read`, and again while the file may be half-written, for at most `patience`.
    ///
    /// It may be half-written if it was modified less than `patience` ago, and either does not parse or is the `known` file
    /// with other content. Blocks the thread meanwhile.
    init(known: FileIdentity?, patience: Duration = patience, _ read: () throws(FileError) -> FileContents?) throws(FileError) {
        let end = ContinuousClock.now + patience
        self.init(try read())
        while mayBeHalfWritten(known, patience), ContinuousClock.now < end {
            sleepThread(nanoseconds: 10_000_000)
            self.init(try read())
        }
    }

    private init(_ contents: FileContents?) {
        identity = contents?.identity
        document = Result { () throws(JSONSyntaxError) in
            if let contents { try PreferencesDocument(parsing: contents.bytes) } else { PreferencesDocument() }
        }
    }

    private func mayBeHalfWritten(_ known: FileIdentity?, _ patience: Duration) -> Bool {
        guard let identity else { return false }
        let wasModifiedInPlace = identity != known && identity.inode == known?.inode && identity.device == known?.device
        guard wasModifiedInPlace || (try? document.get()) == nil else { return false }
        // The magnitude, because another machine's clock may be ahead.
        let age = Date.now.timeIntervalSince1970 - Double(identity.modified) / 1_000_000_000
        return Duration.seconds(age.magnitude) < patience
    }
}
