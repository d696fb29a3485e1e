import StoredValues

extension Command {
    static let settings = [
        // Publishes the schema of keys: "limit=60,theme=light;zoom=1" is two calls. A default that is an integer makes a key of integers.
        Command("publish", "application", "file", "calls") { arguments in
            StorageSystem.bootstrap(applicationID: arguments[0])
            let file = arguments[1].isEmpty ? PreferencesFile.standard : .named(arguments[1])
            for call in arguments[2].split(separator: ";") { file.publishSchema(of: try call.split(separator: ",").map(key)) }
            say("done")
        }
    ]
}

private func key(_ text: Substring) throws -> AnyStoredKey {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw BadArgument(text: String(text)) }
    return Int(parts[1]).map { AnyStoredKey(StoredKey(parts[0], default: $0)) } ?? AnyStoredKey(StoredKey(parts[0], default: parts[1]))
}
