import StoredValues

extension Command {
    static let encryptedFile = [
        // Writes the secrets <prefix>-0, <prefix>-1 … of the service "processes", each holding its number.
        Command("write-secrets", "path", "key", "prefix", "count") { arguments in
            let keyring = keyring(arguments)
            for number in 0..<(try number(arguments[3])) {
                try await keyring.write(
                    Secret("\(number)".utf8), for: secret("\(arguments[2])-\(number)"), label: "number \(number)")
            }
            say("done")
        },
        // Does step after step, from the first to the last, and prints each one's number once it is done. Step n removes the
        // secret <prefix>-<n % 4> when n can be divided by 5, else it sets it to n.
        Command("step-secrets", "path", "key", "prefix", "first", "last") { arguments in
            let keyring = keyring(arguments)
            say("ready")
            for step in try number(arguments[3])...number(arguments[4]) {
                let id = secret("\(arguments[2])-\(step % 4)")
                if step % 5 == 0 {
                    try await keyring.remove(id)
                } else {
                    try await keyring.write(Secret("\(step)".utf8), for: id, label: "step \(step)")
                }
                say("\(step)")
            }
        },
        // Moves the secrets of the service "processes" to the file <to> with the same key, and prints the number of each step as it begins.
        Command("move-secrets", "path", "key", "to") { arguments in
            let destination = keyring([arguments[2], arguments[1]])
            _ = try await keyring(arguments).moveSecrets(inService: "processes", to: destination, overwriting: false) { step, _ in say("\(step)") }
        },
        // Reads the secret <account> each time a line comes in, and prints it or the error's name.
        Command("read-secret", "path", "key", "account") { arguments in
            let keyring = keyring(arguments)
            while true {
                do throws(KeyringError) {
                    let found = try await keyring.read(secret(arguments[2]))
                    say(found.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } ?? "absent")
                } catch {
                    say(error == .wrongKey ? "wrongKey" : "\(error)")
                }
                _ = hear()
            }
        },
    ]

    private static func keyring(_ arguments: [String]) -> EncryptedFileKeyring {
        // Others write too, and the machine may be busy.
        EncryptedFileKeyring(path: arguments[0], key: .file(arguments[1]), deadline: .seconds(600))
    }

    private static func secret(_ account: String) -> SecretIdentifier {
        SecretIdentifier(service: "processes", account: account)
    }
}
