import Locking

// The system-wide files of defaults below this one.

extension OpenPreferences {
    /// Puts files of defaults below this one, the most important first, and reads them. Those already there stay.
    func addLayers(_ paths: [String]) {
        let known = Set(state.withLock { $0.layers.map(\.file.path) })
        var layers = paths.filter { !known.contains($0) }.map(PreferencesLayer.init(path:))
        for position in layers.indices { refresh(&layers[position]) }
        var aftermath = Aftermath()
        state.withLock { $0.add(layers, &aftermath) }
        aftermath.settle()
        for file in layers.map(\.file) { watch(file) { $0.refreshLayer(file) } }
    }

    /// Reads a layer again if its file changed; trouble with it is logged, and the last good values stay.
    @discardableResult
    func refresh(_ layer: inout PreferencesLayer) -> Bool {
        do {
            return try layer.read()
        } catch {
            note("Could not read the system-wide preferences \"\(layer.file.path)\"; what they said before stays in use. \(error)")
            return false
        }
    }
}
