import StoredValuesSupport

/// The application whose values are stored, and the file and keyring that ``PreferencesFile/standard`` and ``Keyring/system``
/// mean.
public enum StorageSystem {
    private struct State {
        var applicationID: String?
        /// The file and the keyring that the program passed in; untyped, because this is below the folders of their types.
        var parts: [any Sendable] = []
        /// The call that set all of this.
        var call: String?
        var isInUse = false
    }

    private static let state = Guarded(State())

    /// The application's name: the one passed to ``bootstrap(applicationID:preferences:keyring:environmentPrefix:)``, else the executable's name.
    ///
    /// Reading it fixes it, like every use of the storage: a later `bootstrap` traps.
    public static var applicationID: String {
        state.withLock { state in
            let name = state.applicationID ?? executableName()
            (state.applicationID, state.isInUse) = (name, true)
            return name
        }
    }

    /// Whether the application's name is fixed, by ``bootstrap(applicationID:preferences:keyring:environmentPrefix:)`` or by a use.
    package static var isSettled: Bool { state.withLock { $0.isInUse || $0.call != nil } }

    /// Whether an application can have this id.
    package static func isName(_ id: String) -> Bool { !id.isEmpty && !id.begins(with: ".") && !id.has("/") && !id.has("\0") }

    /// The part of this type that the program passed in; fixed from now on.
    static func part<Part>(_ type: Part.Type) -> Part? {
        let parts = state.withLock { state in
            state.isInUse = true
            return state.parts
        }
        return parts.lazy.compactMap { $0 as? Part }.first
    }

    /// Takes over the arguments of `call`. Traps if the name is invalid, on a second call, and after the first use.
    static func begin(applicationID: String?, parts: [any Sendable], call: String) {
        requireProperUse(applicationID.map(isName) ?? true, "\(call): the name must not be empty, begin with a dot or contain a slash")
        state.withLock { state in
            let first = state.call
            requireProperUse(first == nil, "\(call) was called a second time; the first was \(first ?? "")")
            requireProperUse(!state.isInUse, "\(call) was called after a stored value was used; call it at the start of main")
            state = State(applicationID: applicationID, parts: parts, call: call)
        }
    }
}
