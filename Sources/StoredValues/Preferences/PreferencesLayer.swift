import StoredValuesFiles
import StoredValuesSupport

/// A file of values below the user's own, and its content. It is never written.
struct PreferencesLayer: Sendable {
    let file: DurableFile
    let kind: LayerKind
    /// The content of the file when it last parsed.
    private(set) var document = PreferencesDocument()
    /// The state of the file that `document` was read from; nil if there was none.
    private(set) var identity: FileIdentity?
    /// The digest of the bytes that `document` was read from; nil if there were none, or the kind has no digest.
    private(set) var digest: UInt64?
    /// Keeps the inode in use where no replacement may go unnoticed.
    private var pin: FilePin?

    init(_ file: DurableFile, _ kind: LayerKind) { (self.file, self.kind) = (file, kind) }

    /// Reads the file if it has changed, or `always`, and returns whether it was read. If it throws, the layer stays as it is.
    mutating func read(always: Bool = false) throws -> Bool {
        if !always, try file.currentIdentity() == identity, identity == nil || pin != nil || kind.digest == nil { return false }
        let contents = try file.read()
        document = try contents.map { try PreferencesDocument(parsing: $0.bytes) } ?? PreferencesDocument()
        identity = contents?.identity
        guard let computeDigest = kind.digest else { return true }
        digest = contents.map { computeDigest($0.bytes) }
        pin = identity.flatMap { FilePin($0, at: file.path, file.operations) }
        return true
    }
}

extension PreferencesStore {
    /// Adds files below this one, by precedence, and reads them: above the layers that are there if `onTop`, else below them.
    /// Files that are already there stay.
    func addLayers(_ paths: [String], of kind: LayerKind = .systemWide, onTop: Bool = false) {
        var added = paths.map { PreferencesLayer(DurableFile(path: $0), kind) }
        for position in added.indices { read(&added[position]) }
        var later = AfterUnlocking()
        _ = exchange(&later) { members in
            members.add(added, onTop: onTop)
            return []
        }
        finish(later)
        // Another thread may have added the same files first.
        for layer in layers where added.contains(where: { $0.file === layer.file }) { watch(layer.file) { $0.refreshLayer(layer.file) } }
    }

    /// By precedence.
    var layers: [PreferencesLayer] { state.withLock { $0.members.layers } }

    func refreshLayers(always: Bool = false) { for layer in layers { refreshLayer(layer.file, always: always) } }

    /// Takes over the current content of a layer. Returns what readers see from now on, and why the file could not be read, if so.
    @discardableResult
    func refreshLayer(_ file: DurableFile, always: Bool = false) -> (layer: PreferencesLayer?, trouble: TroubleLog.LayerTrouble?) {
        var later = AfterUnlocking()
        read(file, always: always, &later)
        finish(later)
        return state.withLock { ($0.members.layer(of: file), $0.log.layerTroubles[file.path]) }
    }

    /// Takes over the current content of a layer if its file changed, or `always`.
    func read(_ file: DurableFile, always: Bool = false, _ later: inout AfterUnlocking) {
        var isAdopted = false
        while !isAdopted {
            guard let known = state.withLock({ $0.members.layer(of: file) }) else { return }
            var layer = known
            guard read(&layer, always: always) else { return }
            // Another thread may have read a newer state in the meantime.
            isAdopted = exchange(while: { $0.members.layer(of: file)?.identity == known.identity }, &later) { [layer] members in
                members.adopt(layer)
                return []
            }
        }
    }

    /// Reads a layer if its file changed, or `always`, and returns whether it was read; an error is noted once.
    @discardableResult
    private func read(_ layer: inout PreferencesLayer, always: Bool = false) -> Bool {
        let path = layer.file.path
        do {
            let isRead = try layer.read(always: always)
            state.withLock { $0.log.layerIsWhole(path) }
            return isRead
        } catch {
            let failure = error as? FileError, isLackOfRoom = failure?.isLackOfRoom == true
            // No event tells that the owner, the mode or the disk was corrected. One tells that a folder is in place of a file again.
            if let code = failure?.code, code != .notFolder { tryAgain() }
            let inUse = layer.identity == nil ? "none of its values are in use" : "its last good values stay in use"
            let reason = error is JSONSyntaxError ? "It is not JSON: \(error). \(layer.kind.cure)" : "\(error)"
            let text = "Could not read \(layer.kind.name) \"\(path)\"; \(inUse). \(reason)"
            state.withLock { $0.log.note(TroubleLog.LayerTrouble(text: text, isLackOfRoom: isLackOfRoom), ofLayer: path) }
            return false
        }
    }
}
