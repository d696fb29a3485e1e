import Glibc
import StoredValues

extension Command {
    /// What reads the fleet's secrets, with a key and a former one: files, "mounted:<file>" or "credential:<name>"; "-" is none.
    static let fleetSecrets = [
        // Answers each name on the standard input with the secret, "absent", or why it cannot be read; and "(status)" with how fresh all is.
        Command("talk-fleet-secrets", "key", "former key") { arguments in
            let keyring = keyring(arguments)
            while true {
                let name = hear()
                guard name != "(status)" else {
                    say("\(PreferencesFile.standard.fleetStatus)")
                    continue
                }
                let fromKeyring = await answer { try await keyring.read(SecretIdentifier(service: StorageSystem.applicationID, account: name)).map(text) }
                let fromValue = await answer { try await SecurelyStoredValue<String>(key: name, keyring: keyring).load() }
                // The words of a wrapper's error are more.
                say(fromValue == fromKeyring || fromValue.hasPrefix("error: ") ? fromKeyring : "\(fromKeyring), and \(fromValue)")
            }
        },
        // Prints each value of the secret, with "absent" for none.
        Command("watch-fleet-secret", "key", "former key", "name") { arguments in
            for await item in SecurelyStoredValue<String>(key: arguments[2], keyring: keyring(arguments)).values { say(item ?? "absent") }
        },
        // Reads the secret again and again until a line comes in, and prints each answer that differs from the one before; then
        // how often it has read.
        Command("read-fleet-secret", "key", "former key", "name") { arguments in
            let keyring = keyring(arguments)
            let id = SecretIdentifier(service: StorageSystem.applicationID, account: arguments[2])
            var last: String?
            var count = 0
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            while poll(&input, 1, 1) == 0 {
                let answer = await answer { try await keyring.read(id).map(text) }
                count += 1
                if answer != last { say(answer) }
                last = answer
            }
            say("\(count)")
        },
    ]

    private static func keyring(_ arguments: [String]) -> FleetKeyring {
        .fleet(key: key(arguments[0]), formerKey: arguments[1] == "-" ? nil : key(arguments[1]))
    }

    private static func key(_ text: String) -> EncryptedFileKey {
        let words = text.split(separator: ":", maxSplits: 1).map(String.init)
        return switch words[0] {
        case "mounted": .mountedFile(words[1])
        case "credential": .credential(words[1])
        default: .file(text)
        }
    }

    private static func text(_ secret: Secret) -> String { secret.withBytes { String(decoding: $0, as: UTF8.self) } }

    /// What is read. On a busy machine the mirrored file may not answer within 5 s; then again, as the error says.
    private static func answer(_ read: () async throws -> String?) async -> String {
        while true {
            do { return try await read() ?? "absent" } catch {
                let reason = (error as? SecretError)?.reason ?? error as? KeyringError
                guard case .timedOut? = reason else { return "error: \(error)" }
            }
        }
    }
}
