import StoredValuesSupport

/// The application whose values are stored, and where ``PreferencesFile/standard`` and ``Keyring/system`` lie.
public enum StorageSystem {
    private struct State {
        var applicationID: String?
        /// The file and the keyring that the program handed over; their types lie in rooms above this one.
        var parts: [any Sendable] = []
        /// What named all of this.
        var call: String?
        var isInUse = false
    }

    private static let state = Guarded(State())

    /// The application's name: what ``bootstrap(applicationID:preferences:keyring:)`` named, else that of the executable.
    ///
    /// Reading it settles it, as every use of the storage does: `bootstrap` traps from then on.
    public static var applicationID: String {
        state.withLock { state in
            let name = state.applicationID ?? executableName()
            (state.applicationID, state.isInUse) = (name, true)
            return name
        }
    }

    /// What the program handed over of this type, which is settled from now on.
    static func part<Part>(_ type: Part.Type) -> Part? {
        let parts = state.withLock { state in
            state.isInUse = true
            return state.parts
        }
        return parts.lazy.compactMap { $0 as? Part }.first
    }

    /// Takes over what `call` names. Traps where that is no name, the second time, and after the first use.
    static func begin(applicationID: String?, parts: [any Sendable], call: String) {
        let isName = applicationID.map { !$0.isEmpty && !$0.begins(with: ".") && !$0.has("/") && !$0.has("\0") } ?? true
        requireProperUse(isName, "\(call): the name must not be empty, begin with a dot or contain a slash")
        state.withLock { state in
            let first = state.call
            requireProperUse(first == nil, "\(call) was called a second time; the first was \(first ?? "")")
            requireProperUse(!state.isInUse, "\(call) was called after a stored value was used; call it first thing in main")
            state = State(applicationID: applicationID, parts: parts, call: call)
        }
    }
}
