import StoredValuesSupport

/// The desktops of one test, which run until the test ends: a local variable may go after its last use, and the daemons
/// with it.
final class PrivateDesktops: Sendable {
    private let desktops = Guarded<[PrivateDesktop]>([])

    /// A new desktop in this state.
    func start(
        _ state: PrivateDesktop.State = .open, _ program: KeyringProgram = .gnomeKeyring
    ) async throws -> PrivateDesktop {
        let desktop = try await PrivateDesktop(state, program)
        desktops.withLock { $0.append(desktop) }
        return desktop
    }
}
