import ArgumentParser
import FoundationEssentials
import StoredValues

let applicationID = "com.example.QuickStart"

/// Where the token is kept. The person decides: nothing falls back to a file on its own.
enum KeyringChoice: String, ExpressibleByArgument {
    case system, file

    /// Nil for the system's.
    var keyring: (any Keyring)? {
        switch self {
        case .system: nil
        case .file: .encryptedFile(Self.path, key: .generatedFile(Self.path + ".key"))
        }
    }

    /// Why it is this one, for people.
    var reason: String {
        switch self {
        case .system where Self.variables["STORED_VALUES_KEYRING"] != nil:
            "STORED_VALUES_KEYRING names it."
        case .system:
            "it is the default."
        case .file:
            """
            --keyring file asks for it. A copy of the encrypted file alone tells nothing; \
            who can read its key file, too, can read the token.
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
