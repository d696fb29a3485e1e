import StoredValuesFiles
import StoredValuesSupport

/// The stored members: those of the file with pending changes applied, and the layers below; or the view of one thread, with the
/// changes of its batch.
struct StoredMembers {
    typealias Permitted = (changes: MemberChanges, refusals: [PreferencesError])

    private let path: String
    private let sizeLimit: Int
    /// Where values come from that are not in the layers below, and are saved.
    private let ownSource: ValueSource
    /// The file with `unsaved` applied.
    private var content = PreferencesDocument()
    /// Changes that are not in the file: those whose write failed, and those that the change under way will write.
    private(set) var unsaved: MemberChanges = [:]
    /// What only the thread sees whose view this is.
    private(set) var overlay: MemberChanges = [:]
    /// The layers below, by precedence.
    private(set) var layers: [PreferencesLayer] = []
    /// The layer above, if the file has one; all views share it.
    private(set) var environment: EnvironmentLayer?
    /// Incremented by each change of the members: earlier reads and comparisons are outdated then.
    private(set) var revision = 0

    init(path: String, sizeLimit: Int, hasFile: Bool) {
        (self.path, self.sizeLimit, ownSource) = (path, sizeLimit, hasFile ? .file : .memory)
    }

    // MARK: Reading

    /// The whole file with the changes.
    var document: PreferencesDocument { overlay.isEmpty ? content : content.applying(overlay) }

    /// The content stored under `key` in the file itself, or pending.
    func own(_ key: PreferencesKey) -> StoredJSON? {
        guard !overlay.isEmpty, let change = overlay[key] else { return content.stored(key) }
        return change.stored
    }

    /// The content of `key` in the environment, which nothing that is stored replaces.
    func above(_ key: PreferencesKey) -> StoredJSON? { environment?.content(of: key) }

    /// What readers of `key` get: that of the environment, else the stored content, else that of the layers below.
    func stored(_ key: PreferencesKey) -> StoredJSON? { above(key) ?? own(key) ?? below(key) }

    /// The content stored under `key` in the layers below.
    func below(_ key: PreferencesKey) -> StoredJSON? { layers.lazy.compactMap { $0.document.stored(key) }.first }

    /// What readers of `key` get, as a change, which has the content of the live value if that is known.
    func change(of key: PreferencesKey) -> MemberChange {
        let change = overlay[key]
        if let change, change.stored != nil, above(key) == nil { return change }
        return MemberChange(stored(key), isUncovered: change != nil && change?.stored == nil)
    }

    /// Where the value of `key` comes from; inside a batch, where it will come from once that is committed.
    func source(_ key: PreferencesKey) -> ValueSource {
        if above(key) != nil { return .environment }
        guard own(key) != nil else { return layers.first { $0.document.stored(key) != nil }?.kind.source ?? .code }
        return overlay[key] != nil || unsaved[key] == nil ? ownSource : .memory
    }

    func overlaid(with changes: MemberChanges) -> StoredMembers {
        var view = self
        view.overlay = overlay.isEmpty ? changes : overlay.merging(changes) { $1 }
        return view
    }

    // MARK: Changes of ours

    /// What to do with a change of `key` that was not changed before in the same batch.
    func verdict(of change: MemberChange, for key: PreferencesKey) -> MemberChange.Verdict { content.verdict(of: change, for: key) }

    /// Keeps those of `changes` that change anything until they are written. Returns them.
    mutating func keep(_ changes: MemberChanges) -> MemberChanges {
        var pending = changes
        for (key, change) in changes { pending[key] = change.pending(after: unsaved[key]) }
        let made = content.apply(pending)
        unsaved.merge(made) { $1 }
        revision += 1
        return changes.filter { made[$0.key] != nil }
    }

    /// Notes that the file is now `document`, and no change is pending.
    mutating func haveBeenSaved(in document: consuming PreferencesDocument) {
        content = document
        if !unsaved.isEmpty { unsaved = [:] }
        revision += 1
    }

    // MARK: Changes by others

    /// Takes over what another program wrote, below the pending changes. Returns the pending changes that are refused now.
    mutating func adopt(_ document: PreferencesDocument) -> [PreferencesError] {
        var refusals: [PreferencesError] = []
        content = document
        if !unsaved.isEmpty {
            (unsaved, refusals) = permittedUnsaved()
            unsaved = content.apply(unsaved)
        }
        revision += 1
        return refusals
    }

    func layer(of file: DurableFile) -> PreferencesLayer? { layers.first { $0.file === file } }

    /// Takes over the current content of a layer.
    mutating func adopt(_ layer: PreferencesLayer) {
        guard let position = layers.firstIndex(where: { $0.file === layer.file }) else { return }
        layers[position] = layer
        revision += 1
    }

    /// Adds the layer above the file. Returns false if there is one already.
    mutating func add(_ environment: EnvironmentLayer) -> Bool {
        guard self.environment == nil else { return false }
        self.environment = environment
        revision += 1
        return true
    }

    /// Adds layers above or below those that are there, unless they are there.
    mutating func add(_ new: [PreferencesLayer], onTop: Bool) {
        let new = new.filter { layer in !layers.contains { $0.file.path.isIdentical(to: layer.file.path) } }
        layers.insert(contentsOf: new, at: onTop ? 0 : layers.count)
        revision += 1
    }
}

// Which changes are made, and which are refused.
extension StoredMembers {
    /// The `changes` to make, some of which may change nothing. Changes of values that a newer version wrote are refused. All are
    /// refused if the file would become too large to be read again, because they are one change.
    func permitted(_ changes: MemberChanges) -> Permitted {
        let (current, refusals) = current(changes)
        guard !content.hasRoom(for: current, within: sizeLimit), let refusal = tooLarge(current) else { return (current, refusals) }
        return ([:], refusals + [refusal])
    }

    /// The error for a change that would replace a value that a newer version of the program stored.
    func refusal(of key: PreferencesKey, stored: Int, known: Int) -> PreferencesError {
        .newerVersion(key: key.text, path: path, stored: stored, supported: known)
    }

    /// The same for the unsaved changes, which are not in ``content`` yet because another program wrote it. Each is a separate change.
    private func permittedUnsaved() -> Permitted {
        var (changes, refusals) = current(unsaved)
        guard !content.hasRoom(for: changes, within: sizeLimit) else { return (changes, refusals) }
        // Conditional changes are halves of moves, which must stay together.
        let moves = changes.filter { $0.value.isConditional }
        let single = changes.filter { !$0.value.isConditional }.map { [$0.key: $0.value] }
        // Smallest first, which refuses the fewest; the order in which they were made is no longer known.
        let sorted = ([moves] + single).map { ($0, growth: content.growth(by: $0)) }.sorted { $0.growth < $1.growth }
        var size = content.formattedSize
        changes = [:]
        for (part, growth) in sorted {
            if size + growth > sizeLimit, let refusal = tooLarge(part) {
                refusals.append(refusal)
            } else {
                size += growth
                changes.merge(part) { $1 }
            }
        }
        return (changes, refusals)
    }

    /// The error for `changes` that would make the file too large; nil if they change nothing.
    private func tooLarge(_ changes: MemberChanges) -> PreferencesError? {
        changes.filter { content.stored($0.key) != $0.value.stored }
            .max { ($0.value.stored?.json.count ?? 0) < ($1.value.stored?.json.count ?? 0) }
            .map { .tooLarge(key: $0.key.text, path: path, limit: sizeLimit) }
    }

    /// The `changes` whose condition is met, and that do not replace a newer version's value.
    private func current(_ changes: MemberChanges) -> Permitted {
        // Usually all are made, and no new dictionary is created.
        var (current, refusals) = (changes, [PreferencesError]())
        for (key, change) in changes {
            switch content.verdict(of: change, for: key) {
            case .make: continue
            case .skip: break
            case .refuse(let stored, let known): refusals.append(refusal(of: key, stored: stored, known: known))
            }
            current[key] = nil
        }
        return (current, refusals)
    }
}
