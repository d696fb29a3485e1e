import StoredValuesSupport

/// Names the application whose values are stored.
public enum StorageSystem {
    private struct State {
        var applicationID: String?
        var isInUse = false
    }

    private static let state = Guarded(State())

    /// Names the application; call it once, before any stored value is used.
    ///
    /// The name is the folder of the preferences below `~/.config` and the service of the secrets in the keyring. Without
    /// this call it is the executable's name, so that renaming the program would lose its settings.
    ///
    /// - Parameter applicationID: A name such as `com.example.Editor`, with no slash in it. A bad name, a second call and
    ///   a call after the first use end the program.
    public static func bootstrap(applicationID: String) {
        let call = "StorageSystem.bootstrap(applicationID: \"\(applicationID)\")"
        requireProperUse(
            !applicationID.isEmpty && !applicationID.begins(with: ".") && !applicationID.has("/") && !applicationID.has("\0"),
            "\(call): the name must not be empty, begin with a dot or contain a slash")
        state.withLock { state in
            let first = state.applicationID
            requireProperUse(first == nil, "\(call) was called a second time; the first named \"\(first ?? "")\"")
            requireProperUse(!state.isInUse, "\(call) was called after a stored value was used; call it first thing in main")
            state.applicationID = applicationID
        }
    }

    /// The application's name, which is settled from now on.
    static var applicationID: String {
        state.withLock { state in
            let name = state.applicationID ?? executableName()
            (state.applicationID, state.isInUse) = (name, true)
            return name
        }
    }
}
