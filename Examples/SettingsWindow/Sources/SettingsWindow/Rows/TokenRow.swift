import CAdwaita
import Observation
import StoredValues

/// Whether the keyring has the token, which is never shown, and a button to unlock the keyring.
@MainActor
final class TokenRow {
    let row = Widget.row("Token", subtitle: "Asking the keyring …")
    let unlock = gtk_button_new_with_label("Unlock …")!
    private(set) var status: SecretStatus?

    init() {
        unlock.isVisible = false
        row.addSuffix(unlock)
        connect(unlock, "clicked") { [unowned self] in
            unlock.isSensitive = false  // until the question is answered
            Task {
                do throws(KeyringError) { try await SystemKeyring().unlock() } catch { show(.unavailable(error)) }
                unlock.isSensitive = true
            }
        }
    }

    /// Shows the token's status now, and after each change. Only this task waits for the keyring, and not the window.
    func follow(_ token: SecurelyStoredValue<String>) async {
        _ = try? await token.load()  // why it cannot be read is the status, too
        for await status in Observations({ token.status }) { show(status) }
    }

    private func show(_ status: SecretStatus) {
        self.status = status
        adw_action_row_set_subtitle(row.cast(), status.words)
        unlock.isVisible = status.isLocked
    }
}

extension SecretStatus {
    /// For the person.
    var words: String {
        switch self {
        case .value: "Stored in the keyring"
        case .absent: "None is stored"
        case .unavailable(let error): isLocked ? "The keyring is locked" : "\(error)"
        }
    }

    var isLocked: Bool { self == .unavailable(.locked) || self == .unavailable(.dismissed) }
}
