import StoredValues
import Testing

@testable import FriendsServer
@testable import FriendsService

/// A keyring that gives no answer is never taken for "not logged in".
@Suite(.timeLimit(.minutes(30)))
struct KeyringOutageTests {
    static let outages: [(InMemoryKeyring.Fault, KeyringError)] = [
        (.locked, .locked), (.gone, .noSecretService), (.dismissing, .locked),
    ]

    @Test("A request says that it is not known, asks no server, and goes on when the keyring is back", arguments: outages)
    func request(fault: InMemoryKeyring.Fault, error: KeyringError) async throws {
        let keyring = InMemoryKeyring()
        try await withFriends(keyring: keyring) { server, service, url in
            try await service.logIn(ada)
            let count = await server.requests.count
            keyring.inject(fault)
            await #expect(throws: FriendsError.keyring(error)) { try await service.friends() }
            #expect(await server.requests.count == count)

            keyring.inject(nil)
            #expect(try await service.friends().friends == someFriends)
        }
    }

    @Test("A login sends no password, and stores nothing", arguments: outages)
    func login(fault: InMemoryKeyring.Fault, error: KeyringError) async throws {
        let keyring = InMemoryKeyring()
        try await withFriends(keyring: keyring) { server, service, url in
            keyring.inject(fault)
            await #expect(throws: FriendsError.keyring(error)) { try await service.logIn(ada) }
            #expect(await server.requests.isEmpty)

            keyring.inject(nil)
            await #expect(throws: FriendsError.notLoggedIn(url)) { try await service.friends() }
        }
    }

    @Test("A logout is refused, and the login stays", arguments: outages)
    func logout(fault: InMemoryKeyring.Fault, error: KeyringError) async throws {
        let keyring = InMemoryKeyring()
        try await withFriends(keyring: keyring) { server, service, url in
            try await service.logIn(ada)
            keyring.inject(fault)
            await #expect(throws: FriendsError.keyring(error)) { try await service.logOut() }

            keyring.inject(nil)
            #expect(try await service.friends().friends == someFriends)
        }
    }

    @Test("A keyring that locks while the server refuses the token keeps it, and that is reported")
    func lockedAt401() async throws {
        let keyring = InMemoryKeyring()
        try await withFriends(keyring: keyring) { server, service, url in
            try await service.logIn(ada)
            await server.answer { _ in
                keyring.inject(.locked)
                return .init(statusCode: .unauthorized)
            }
            await #expect(throws: FriendsError.keyring(.locked)) { try await service.friends() }
            keyring.inject(nil)
            #expect(try await storedToken.load() != nil)
        }
    }
}
