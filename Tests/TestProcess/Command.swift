/// What the process can be told to do by its arguments.
struct Command: Sendable {
    let name: String
    /// The names of its arguments, all of which must be given.
    let parameters: [String]
    let run: @Sendable ([String]) async throws -> Void

    init(_ name: String, _ parameters: String..., run: @escaping @Sendable ([String]) async throws -> Void) {
        self.name = name
        self.parameters = parameters
        self.run = run
    }

    static let all = preferences + settings + encryptedFile + secretService + secrets + wrongService + fleet + fleetSecrets + store + [conversation, wait]
}

/// An argument that a command can make nothing of.
struct BadArgument: Error {
    let text: String
}

/// `text` as a number.
func number(_ text: String) throws -> Int {
    guard let number = Int(text) else { throw BadArgument(text: text) }
    return number
}
