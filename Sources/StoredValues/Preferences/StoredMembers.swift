import StoredValuesFiles
import StoredValuesSupport

/// What is stored: the members of the file with the changes laid over them that are not written yet, and below these the files
/// of defaults.
struct StoredMembers {
    typealias Changes = [PreferencesKey: MemberChange]
    typealias Permitted = (changes: Changes, refusals: [PreferencesError])

    /// Where the file lies, for the user.
    private let path: String
    /// How large the file may become.
    private let sizeLimit: Int
    /// The file with `unsaved` laid over it.
    private var content = PreferencesDocument()
    /// Changes that are not in the file: those whose write failed, and those that the change under way will write.
    private(set) var unsaved: Changes = [:]
    /// The files of defaults, the most important first.
    private(set) var layers: [PreferencesLayer] = []
    /// Grows with each change of what is stored: what was read or compared before is out of date then.
    private(set) var revision = 0

    init(path: String, sizeLimit: Int) { (self.path, self.sizeLimit) = (path, sizeLimit) }

    // MARK: Reading

    /// The whole of the file with the changes.
    var document: PreferencesDocument { content }

    /// Brings the changes into the text, once for all who read the whole.
    mutating func layOut() { content.layOut() }

    /// What is stored under `key` in the file itself, or waits to be.
    func own(_ key: PreferencesKey) -> StoredJSON? { content.stored(key) }

    /// What readers of `key` see: what is stored, else what the layers below say.
    func stored(_ key: PreferencesKey) -> StoredJSON? {
        content.stored(key) ?? layers.lazy.compactMap { $0.document.stored(key) }.first
    }

    /// Where that comes from.
    func source(_ key: PreferencesKey) -> ValueSource {
        content.stored(key) != nil ? .file : layerSource(key)
    }

    /// Where it would come from if the file itself had nothing.
    func layerSource(_ key: PreferencesKey) -> ValueSource { layers.first { $0.document.stored(key) != nil }?.source ?? .code }

    // MARK: Changes of ours

    /// Keeps `changes` until they are written.
    mutating func keep(_ changes: Changes) {
        for (key, change) in changes {
            let pending = change.pending(after: unsaved[key])
            unsaved[key] = pending
            content.make(pending, of: key)
        }
        revision += 1
    }

    /// The file's new content with `changes` made and all that waits.
    func written(with changes: Changes) -> PreferencesDocument { content.applying(changes) }

    /// Notes that the file is `document` now, and nothing waits.
    mutating func wereWritten(_ document: PreferencesDocument) {
        (content, unsaved) = (document, [:])
        revision += 1
    }

    // MARK: What others wrote

    /// Takes over what somebody else wrote, under what is not written here. Returns the changes that are refused now.
    mutating func adopt(_ document: PreferencesDocument) -> [PreferencesError] {
        var refusals: [PreferencesError] = []
        if !unsaved.isEmpty { (unsaved, refusals) = permitted(unsaved, over: document) }
        content = document.applying(unsaved)
        revision += 1
        return refusals
    }

    /// The layer that is read from `file`.
    func layer(of file: DurableFile) -> PreferencesLayer? { layers.first { $0.file === file } }

    /// Takes over what a layer holds now.
    mutating func adopt(_ layer: PreferencesLayer) {
        guard let position = layers.firstIndex(where: { $0.file === layer.file }) else { return }
        layers[position] = layer
        revision += 1
    }

    /// Puts files of defaults below, unless they are there.
    mutating func add(_ new: [PreferencesLayer]) {
        layers += new.filter { layer in !layers.contains { $0.file.path.isIdentical(to: layer.file.path) } }
        revision += 1
    }
}

// Which changes are made, and which are refused.
extension StoredMembers {
    /// Those of `changes` that are to be made. Changes of what a newer version wrote are refused, and all of them if the file
    /// would become too large to be read again: they are one change.
    ///
    /// - Parameter areCompared: Whether ``verdict(on:of:after:)`` was asked about each of them.
    func permitted(_ changes: Changes, areCompared: Bool = false) -> Permitted {
        let (current, refusals) = areCompared ? (changes, []) : current(changes, in: content)
        guard let refusal = tooLarge(current, in: content) else { return (current, refusals) }
        return ([:], refusals + [refusal])
    }

    /// What is to be done about a change of `key` inside a batch that has made `earlier`. Room is looked for when all are known.
    func verdict(on change: MemberChange, of key: PreferencesKey, after earlier: MemberChange?) -> MemberChange.Verdict {
        change.verdict(where: earlier.map(\.stored) ?? content.stored(key))
    }

    /// What is said of a change that may not replace what a newer version of the program stored.
    func refusal(of change: MemberChange, of key: PreferencesKey, where stored: Int) -> PreferencesError {
        .newerVersion(key: key.text, path: path, stored: stored, supported: change.version)
    }

    /// Whether the file has room for `changes`.
    func hasRoom(for changes: Changes) -> Bool { content.hasRoom(for: changes, within: sizeLimit) }

    /// The same of what is unsaved, when it is laid over what somebody else wrote. Of these changes each is one by itself.
    private func permitted(_ changes: Changes, over content: PreferencesDocument) -> Permitted {
        var (changes, refusals) = current(changes, in: content)
        guard !content.hasRoom(for: changes, within: sizeLimit) else { return (changes, refusals) }
        // Those with a condition are halves of moves, which must not lose each other.
        let moves = changes.filter { $0.value.isConditional }
        let single = changes.filter { !$0.value.isConditional }.map { [$0.key: $0.value] }
        // The small ones first: when they came is not known any more, and that refuses the fewest.
        let sorted = ([moves] + single).map { ($0, growth: content.growth(by: $0)) }.sorted { $0.growth < $1.growth }
        var content = content
        changes = [:]
        for (part, _) in sorted {
            if let refusal = tooLarge(part, in: content) {
                refusals.append(refusal)
                continue
            }
            for (key, change) in part {
                content.make(change, of: key)
                changes[key] = change
            }
        }
        return (changes, refusals)
    }

    /// Why there is no room for `changes`, if there is none.
    private func tooLarge(_ changes: Changes, in content: PreferencesDocument) -> PreferencesError? {
        guard !content.hasRoom(for: changes, within: sizeLimit),
            let largest = changes.max(by: { ($0.value.json?.count ?? 0) < ($1.value.json?.count ?? 0) })
        else { return nil }
        return .tooLarge(key: largest.key.text, path: path, limit: sizeLimit)
    }

    /// Those of `changes` that change something, and nothing of a newer version.
    private func current(_ changes: Changes, in content: PreferencesDocument) -> Permitted {
        // Nearly always all are to be made, and no other dictionary is.
        var (current, refusals) = (changes, [PreferencesError]())
        for (key, change) in changes {
            switch change.verdict(where: content.stored(key)) {
            case .make: continue
            case .skip: break
            case .refuse(let stored): refusals.append(refusal(of: change, of: key, where: stored))
            }
            current[key] = nil
        }
        return (current, refusals)
    }
}
