import StoredValuesFiles
import StoredValuesSupport

// The system-wide files of defaults below this one.

extension OpenPreferences {
    /// Puts files of defaults below this one, the most important first, and reads them. Those already there stay.
    func addLayers(_ paths: [String]) {
        let known = state.withLock { $0.layers.map(\.file.path) }
        var layers = paths.filter { path in !known.contains { $0.isIdentical(to: path) } }.map(PreferencesLayer.init(path:))
        for position in layers.indices { read(&layers[position]) }
        var aftermath = Aftermath()
        state.withLock { $0.add(layers, &aftermath) }
        aftermath.settle()
        for file in layers.map(\.file) { watch(file) { $0.refreshLayer(file) } }
    }

    /// Takes over what the layer that `file` is holds now, and logs trouble with it.
    func refreshLayer(_ file: DurableFile) {
        guard var layer = state.withLock({ state in state.layers.first { $0.file === file } }) else { return }
        var aftermath = Aftermath()
        if read(&layer) { state.withLock { $0.adopt(layer, &aftermath) } }
        aftermath.settle()
        logNotes()
    }

    /// Reads a layer and returns whether its file changed; trouble with it is noted, and the last good values stay.
    @discardableResult
    private func read(_ layer: inout PreferencesLayer) -> Bool {
        do {
            return try layer.read()
        } catch {
            if (error as? FileError)?.isLackOfRoom == true { tryAgain() }
            note("Could not read the system-wide preferences \"\(layer.file.path)\"; what they said before stays in use. \(error)")
            return false
        }
    }
}
