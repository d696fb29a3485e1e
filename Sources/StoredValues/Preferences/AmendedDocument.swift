/// A document and changes that are made to it, but laid into it only when the whole is asked for.
///
/// Each change by itself would make a new text of the whole file, so that a batch of many keys took the square of the time.
struct AmendedDocument: Sendable {
    private var document = PreferencesDocument()
    private var changes: [PreferencesKey: PreferencesTransaction.Change] = [:]

    /// The document with the changes made.
    var whole: PreferencesDocument {
        mutating get {
            if !changes.isEmpty { self.whole = document.applying(changes) }
            return document
        }
        set { (document, changes) = (newValue, [:]) }
    }

    /// What is stored under `key` in ``whole``, or nil.
    func stored(_ key: PreferencesKey) -> StoredText? {
        if let change = changes[key] { return change.stored }
        return document.stored(key)
    }

    mutating func make(_ change: PreferencesTransaction.Change, of key: PreferencesKey) {
        changes[key] = change
    }
}
