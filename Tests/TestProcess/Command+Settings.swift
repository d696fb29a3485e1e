import StoredValues

extension Command {
    static let settings = [
        // Publishes the schema of keys: "limit=60,theme=light;zoom=1" is two calls. A default that is an integer makes a key of integers.
        Command("publish", "application", "file", "calls") { arguments in
            StorageSystem.bootstrap(applicationID: arguments[0])
            let file = arguments[1].isEmpty ? PreferencesFile.standard : .named(arguments[1])
            for call in arguments[2].split(separator: ";") { file.publishSchema(of: try call.split(separator: ",").map(key)) }
            say("done")
        },
        // Publishes the schema of the service below, with the variables of its keys.
        Command("publish-service", "application", "prefix") { arguments in
            StorageSystem.bootstrap(applicationID: arguments[0], environmentPrefix: arguments[1])
            PreferencesFile.standard.publishSchema(of: [AnyStoredKey(.maxConnections), AnyStoredKey(.httpPort), AnyStoredKey(.greeting)])
            say("done")
        },
        // A service: prints its settings and where they come from, and again after each line that comes in: "<key> <text>" sets a
        // setting, and "flush" flushes. Errors are printed.
        Command("service", "application", "prefix") { arguments in
            StorageSystem.bootstrap(applicationID: arguments[0], environmentPrefix: arguments[1])
            let keys = [AnyStoredKey(.maxConnections), AnyStoredKey(.httpPort), AnyStoredKey(.greeting)]
            while true {
                say(PreferencesFile.settings(of: keys).map { "\($0.name)=\($0.value) \($0.source)" }.joined(separator: ", "))
                let words = hear().split(separator: " ", maxSplits: 1).map(String.init)
                do throws(PreferencesError) {
                    guard words != ["flush"] else {
                        try await PreferencesFile.standard.flush()
                        continue
                    }
                    for setting in PreferencesFile.settings(of: keys) where setting.name == words[0] { try setting.set(text: words[1]) }
                } catch {
                    say("\(error)")
                }
            }
        },
    ]
}

extension StoredKey where Item == Int {
    fileprivate static let maxConnections = StoredKey("maxConnections", default: 100, in: 1...1000)
    fileprivate static let httpPort = StoredKey("http.port", default: 8080)
}

extension StoredKey where Item == String {
    fileprivate static let greeting = StoredKey("greeting", default: "hello")
}

private func key(_ text: Substring) throws -> AnyStoredKey {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw BadArgument(text: String(text)) }
    return Int(parts[1]).map { AnyStoredKey(StoredKey(parts[0], default: $0)) } ?? AnyStoredKey(StoredKey(parts[0], default: parts[1]))
}
