import ArgumentParser
import FoundationEssentials
import StoredValues

let applicationID = "com.example.QuickStart"

/// Where the token is kept. The user decides: nothing falls back to a file by itself.
enum KeyringChoice: String, ExpressibleByArgument {
    case system, file

    /// Nil for the system's.
    var keyring: (any Keyring)? {
        switch self {
        case .system: nil
        case .file: .encryptedFile(Self.path, key: .generatedFile(Self.path + ".key"))
        }
    }

    /// Why it is this one, for the user.
    var reason: String {
        switch self {
        case .system where Self.variables["STORED_VALUES_KEYRING"] != nil:
            "STORED_VALUES_KEYRING names it."
        case .system:
            "it is the default."
        case .file:
            """
            --keyring file names it. A copy of the encrypted file alone reveals nothing; \
            whoever can also read its key file can read the token.
            """
        }
    }

    private static var path: String {
        let data = variables["XDG_DATA_HOME"] ?? ""
        let folder = data.hasPrefix("/") ? data : "\(variables["HOME"] ?? "")/.local/share"
        return "\(folder)/\(applicationID)/secrets"
    }

    private static var variables: [String: String] { ProcessInfo.processInfo.environment }
}
