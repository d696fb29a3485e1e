import Logging

/// What to log about a preferences file, each error once, and what its next flush throws.
struct TroubleLog {
    typealias Note = (level: Logger.Level, text: String)

    private let path: String
    /// The errors since the last write, which are not logged again with each further change.
    private var troubles: Set<String> = []
    /// Why a layer could not be read.
    struct LayerTrouble: Equatable, Sendable {
        let text: String
        /// Whether it may end without an event.
        let isLackOfRoom: Bool
    }

    /// The trouble with each layer that was logged since its file was last whole.
    private(set) var layerTroubles: [String: LayerTrouble] = [:]
    /// The repairs of each key that were logged since it changed.
    private var repairs: [PreferencesKey: [String]] = [:]
    /// What of which keys was logged to be declared in two ways.
    private var declaredTwice: Set<PreferencesKey> = []
    private var notes: [Note] = []
    private var refusals: [PreferencesError] = []
    private var isHeld = true

    init(path: String) { self.path = path }

    /// Notes an error; the same one again only after ``forgetTroubles()``.
    mutating func note(_ trouble: String) {
        if troubles.count > 100 { troubles = [] }
        guard troubles.insert(trouble).inserted else { return }
        notes.append((.error, trouble))
    }

    /// Notes why what is in memory is not on the disk.
    mutating func note(unsavedFor error: PreferencesError) {
        if case .notSaved = error { note("\(error) The values are kept in memory, and saving is retried.") } else { note(error.description) }
    }

    /// Notes that a change was written. After it, an error that was logged before is logged again.
    mutating func forgetTroubles() { troubles = [] }

    /// Notes a trouble with the layer at this path; the same one again only after ``layerIsWhole(_:)``.
    mutating func note(_ trouble: LayerTrouble, ofLayer layer: String) {
        guard layerTroubles.updateValue(trouble, forKey: layer) != trouble else { return }
        notes.append((.error, trouble.text))
    }

    mutating func layerIsWhole(_ layer: String) { layerTroubles[layer] = nil }

    /// Notes a change that cannot be made at all.
    mutating func refuse(_ refusal: PreferencesError) {
        // A program that never flushes would keep them all.
        if refusals.count < 100, !refusals.contains(refusal) { refusals.append(refusal) }
        note(refusal.description)
    }

    /// The changes refused since the last call, or the first 100 of them.
    mutating func takeRefusals() -> [PreferencesError] { exchange(&refusals, with: []) }

    /// Notes repairs of a value, unless they are the same as the last ones.
    mutating func note(repairs new: [String], of key: PreferencesKey) {
        let sorted = new.sorted()
        guard repairs.updateValue(sorted, forKey: key) != sorted else { return }
        for repair in new { notes.append((.warning, "\"\(key.text)\" in \"\(path)\": \(repair)")) }
    }

    /// Notes that these keys have other values, whose repairs are to be logged.
    mutating func forgetRepairs(of keys: some Sequence<PreferencesKey>) {
        guard !repairs.isEmpty else { return }
        for key in keys { repairs[key] = nil }
    }

    /// Notes that `key` is declared with two `what`, the first time; `how` continues the sentence.
    mutating func note(two what: String, of key: PreferencesKey, how: String) {
        guard declaredTwice.insert(PreferencesKey("\(what) \(key.text)")).inserted else { return }
        notes.append((.warning, "\"\(key.text)\" in \"\(path)\" is declared with two \(what)\(how). Declare the key once, as a StoredKey."))
    }

    /// The notes to log, each once; none before ``allowLogging()``.
    mutating func take() -> [Note] { isHeld ? [] : exchange(&notes, with: []) }

    /// Allows logging, by the thread that opened the file. Before that, the watch may already check the file on its own thread,
    /// and a program that ends right after opening would lose what that thread had taken and not logged yet.
    mutating func allowLogging() { isHeld = false }
}
