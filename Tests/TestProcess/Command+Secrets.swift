import StoredValues

extension Command {
    /// What changes one secret, a number, through its wrapper. A keyring is "file:<path>", "fallback:<path>", which has the folder
    /// <path>.credentials before that file, by itself and as a fallback of its own, "system" or "desktop".
    static let secrets = [
        // Prints which keyring "system" is and why.
        Command("print-selection") { _ in say("\(SystemKeyring.selection)") },
        // Adds one to the secret so many times, and prints how often it has each time.
        Command("increase-secret", "keyring", "times") { arguments in
            let secret = try secret(in: arguments[0], deadline: .seconds(600))
            for done in 1...(try number(arguments[1])) {
                try await secret.update { $0 = ($0 ?? 0) + 1 }
                say("\(done)")
            }
        },
        // Prints the secret's values as they come, or "absent".
        Command("print-secrets", "keyring") { arguments in
            for await value in try secret(in: arguments[0], deadline: .seconds(600)).values { say(value.map { "\($0)" } ?? "absent") }
        },
        // Does what each line of the standard input says, and answers each with one line. No call takes longer than <seconds>,
        // except on "system", which has a deadline of its own.
        Command("talk-secret", "keyring", "seconds") { arguments in
            let secret = try secret(in: arguments[0], deadline: .seconds(number(arguments[1])))
            while true {
                let words = hear().split(separator: " ").map(String.init)
                do throws(SecretError) {
                    say(try await answer(words, secret))
                } catch {
                    if case .timedOut = error.reason { say("timedOut") } else { say("\(error)") }
                }
            }
        },
    ]

    private static func answer(_ words: [String], _ secret: SecurelyStoredValue<Int>) async throws(SecretError) -> String {
        switch words[0] {
        case "get":
            return try await secret.load().map { "\($0)" } ?? "absent"
        case "set":
            try await secret.set(Int(words[1]) ?? 0)
        case "reset":
            try await secret.reset()
        case "increase", "hold", "await":
            do {
                if words[0] == "await" {
                    // The same by a closure that awaits something: a line that comes in, each time it runs.
                    try await secret.update { (number: inout Int?) async throws in
                        say("\(number ?? 0)")
                        await Task.yield()
                        _ = hear()
                        number = (number ?? 0) + 1
                    }
                    return "ok"
                }
                try await secret.update { number in
                    if words[0] == "hold" {
                        // In the middle of the change until a line comes in.
                        say("held")
                        _ = hear()
                    }
                    number = (number ?? 0) + 1
                }
            } catch let error as SecretError {
                throw error
            } catch {
                return "\(error)"
            }
        default:
            return "unknown: \(words[0])"
        }
        return "ok"
    }

    private static func secret(in keyring: String, deadline: Duration) throws -> SecurelyStoredValue<Int> {
        func secret(_ keyring: some Keyring) -> SecurelyStoredValue<Int> {
            SecurelyStoredValue(key: "number", service: "processes", keyring: keyring)
        }
        func file(_ path: String) -> EncryptedFileKeyring {
            EncryptedFileKeyring(path: path, key: .generatedFile(path + ".key"), deadline: deadline)
        }
        let words = keyring.split(separator: ":", maxSplits: 1).map(String.init)
        switch words[0] {
        case "file": return secret(file(words[1]))
        case "fallback":
            let credentials = CredentialsKeyring(path: words[1] + ".credentials")
            return secret(FallbackKeyring([credentials, FallbackKeyring([credentials]), file(words[1])]))
        case "system": return secret(.system)
        case "desktop": return secret(SecretServiceKeyring(deadline: deadline))
        default: throw BadArgument(text: keyring)
        }
    }
}
