import StoredValues

extension Command {
    /// What uses the desktop's keyring that the environment names, whatever it answers.
    static let wrongService = [
        // Does what each line of the standard input says, "<operation> <deadline in seconds>", and prints what came of it.
        Command("use-service") { _ in
            while true {
                let words = hear().split(separator: " ").map(String.init)
                let keyring = SecretServiceKeyring(deadline: .seconds(try number(words[1])))
                do throws(KeyringError) {
                    say(try await use(keyring, words[0]))
                } catch {
                    say("error: \(error)")
                }
            }
        },
        // Prints what is heard of the keyring.
        Command("hear-service") { _ in
            for await change in SecretServiceKeyring(deadline: .seconds(600)).changes { say("\(change)") }
        },
    ]

    private static func use(_ keyring: SecretServiceKeyring, _ operation: String) async throws(KeyringError) -> String {
        let id = SecretIdentifier(service: "app", account: "token")
        switch operation {
        case "read":
            return try await keyring.read(id).map { "\($0.count) bytes" } ?? "absent"
        case "write":
            try await keyring.write(Secret("another".utf8), for: id, label: "label")
            return "done"
        case "remove":
            try await keyring.remove(id)
            return "done"
        case "list":
            return "\(try await keyring.identifiers(inService: id.service).count) secrets"
        case "unlock":
            try await keyring.unlock()
            return "done"
        case "inspect":
            let found = try await keyring.inspect()
            return "\(found.collection ?? "no collection"), \(found.isLocked ? "locked" : "open")"
        default:
            return "no such operation"
        }
    }
}
