import StoredValues

/// One of many that use a keyring at once: with secrets of its own, whose state it knows, and one that all of them write.
struct StrainedParty {
    let name: String
    let keyring: SecretServiceKeyring

    /// Of the secret that all write: each writes so many equal bytes, so that a mixture of two would show.
    private static let sharedSize = 3000

    private func id(_ account: String) -> SecretIdentifier { SecretIdentifier(service: "strain", account: account) }

    /// Works, and leaves three secrets of its own that hold its name.
    func work(operations: Int) async throws {
        let ids = ["a", "b", "c"].map { id("\(name) \($0)") }, shared = id("shared")
        var known: [SecretIdentifier: Secret] = [:]
        for operation in 0..<operations {
            let id = ids[operation % ids.count]
            switch operation % 8 {
            case 0, 3, 6:
                let secret = Secret(Array(repeating: UInt8(truncatingIfNeeded: operation), count: operation))
                try await keyring.write(secret, for: id, label: name)
                known[id] = secret
            case 1, 4:
                try await check(id, holds: known[id], "operation \(operation)")
            case 2:
                let byte = UInt8(truncatingIfNeeded: operation)
                try await keyring.write(Secret(Array(repeating: byte, count: Self.sharedSize)), for: shared, label: name)
            case 5:
                let bytes = try await keyring.read(shared)?.withBytes { Array($0) } ?? []
                guard bytes.count == Self.sharedSize, Set(bytes).count == 1 else {
                    throw Unexpected(what: "\(name), operation \(operation): \(bytes.count) bytes of \(Set(bytes).count) kinds")
                }
            default:
                try await keyring.remove(id)
                known[id] = nil
            }
        }
        for id in ids {
            try await check(id, holds: known[id], "the end")
            try await keyring.write(Secret(name.utf8), for: id, label: name)
        }
    }

    private func check(_ id: SecretIdentifier, holds expected: Secret?, _ moment: String) async throws {
        let found = try await keyring.read(id)
        guard found == expected else {
            func size(_ secret: Secret?) -> String { secret.map { "\($0.count) bytes" } ?? "nothing" }
            throw Unexpected(what: "\(id) at \(moment): \(size(found)), not \(size(expected))")
        }
    }
}
