import ExampleProcess
import Foundation
import FriendsService
import StoredValues

@testable import FriendsServer

/// What the tests' server lets in.
let password = "\(secretMark) friend"
let ada = Credentials(name: "ada", password: password)

let someFriends = zip(1..., ["Ada", "Barbara", "Edsger", "Grace", "Ken"]).map { Friend(id: $0, name: $1) }

/// Runs `body` with a server on loopback, a service that is to talk to it, and the server's address, in storage of their own.
func withFriends(
    keyring: InMemoryKeyring = InMemoryKeyring(), _ body: (FriendsServer, FriendsService, URL) async throws -> Void
) async throws {
    try await withTemporaryStorage(keyring: keyring) {
        try await withServer { server, url in
            let service = FriendsService()
            service.settings.$baseURL.set(url)
            try await body(server, service, url)
        }
    }
}

/// Runs `body` with a server on loopback, which ends with it, and the server's address.
func withServer(_ body: (FriendsServer, URL) async throws -> Void) async throws {
    let server = try FriendsServer(friends: someFriends, password: password)
    async let _ = server.run()  // cancelled when this function returns
    try await body(server, try await server.url)
}

extension FriendsServer {
    /// What the requests so far had in the header Authorization.
    var authorizations: [String?] { requests.map { $0.headers[.authorization] } }
}
