import StoredValues
import Testing

@testable import FriendsServer
@testable import FriendsService

/// The service against a real server.
@Suite(.timeLimit(.minutes(30)))
struct FriendsServiceTests {
    @Test("A login keeps the token, and each request carries it")
    func login() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            _ = try await service.friends()
            _ = try await service.friends()

            let token = try #require(await storedToken.load())
            let header = "Bearer \(token.text)"
            #expect(await server.authorizations == [nil, header, header])
        }
    }

    @Test("A service that begins later, as after a restart, is still logged in")
    func laterService() async throws {
        try await withFriends { _, service, _ in
            try await service.logIn(ada)
            #expect(try await FriendsService().friends().friends == someFriends)
        }
    }

    @Test("A wrong password is reported as such, and nothing is stored")
    func wrongPassword() async throws {
        try await withFriends { server, service, url in
            await #expect(throws: FriendsError.wrongCredentials(url)) {
                try await service.logIn(Credentials(name: "ada", password: "wrong"))
            }
            let stored = try await storedToken.load()
            #expect(stored == nil)
        }
    }

    @Test("The list comes in pages of the size that is set, which may change between two pages")
    func pages() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            service.settings.$pageSize.set(2)
            var sizes: [Int] = []
            var friends: [Friend] = []
            for try await page in service.pages {
                sizes.append(page.friends.count)
                friends += page.friends
                if sizes.count == 1 { service.settings.$pageSize.set(1) }
            }
            #expect(sizes == [2, 1, 1, 1])
            #expect(friends == someFriends)
        }
    }

    @Test("A 401 drops the token: the next request asks no server")
    func expiredLogin() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            await server.endSessions()
            await #expect(throws: FriendsError.loginExpired(url)) { try await service.friends() }
            #expect(try await storedToken.load() == nil)

            let count = await server.requests.count
            await #expect(throws: FriendsError.notLoggedIn(url)) { try await service.friends() }
            #expect(await server.requests.count == count)

            try await service.logIn(ada)
            #expect(try await service.friends().friends == someFriends)
        }
    }

    @Test("A 401 for an old token leaves the one that came meanwhile")
    func newerToken() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            let newer = BearerToken(text: "newer", origin: try #require(await storedToken.load()).origin)
            await server.answer { _ in
                try await storedToken.set(newer)  // as another login does, while the request is under way
                return .init(statusCode: .unauthorized)
            }
            await #expect(throws: FriendsError.self) { try await service.friends() }
            #expect(try await storedToken.load() == newer)
        }
    }

    @Test("A logout drops the token here and on the server, and may be repeated")
    func logout() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            let token = try #require(await storedToken.load())
            try await service.logOut()
            #expect(try await storedToken.load() == nil)
            try await service.logOut()

            try await storedToken.set(token)
            await #expect(throws: FriendsError.loginExpired(url)) { try await service.friends() }
        }
    }

    @Test("A logout drops the token also when the server is out of reach")
    func logoutAlone() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            await server.answer { _ in .init(statusCode: .internalServerError) }
            await #expect(throws: FriendsError.refused(url, status: 500)) { try await service.logOut() }
            #expect(try await storedToken.load() == nil)
        }
    }
}

/// The token as the service keeps it, in the storage of the test that asks.
var storedToken: SecurelyStoredValue<BearerToken> { SecurelyStoredValue(key: "token") }
