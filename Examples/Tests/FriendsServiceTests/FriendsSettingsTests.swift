import FlyingFox
import Foundation
import StoredValues
import Testing

@testable import FriendsServer
@testable import FriendsService

/// What people set, and when it holds.
@Suite(.timeLimit(.minutes(30)))
struct FriendsSettingsTests {
    @Test("A base URL that an editor changes is used without a restart, and its server never sees the other's token")
    func changedBaseURL() async throws {
        try await withFriends { first, service, _ in
            try await service.logIn(ada)
            try await withServer { second, url in
                try await edit(service.settings, #"{"baseURL": "\#(url)"}"#)
                await #expect(throws: FriendsError.notLoggedIn(url)) { try await service.friends() }
                #expect(await second.requests.isEmpty)

                try await service.logIn(ada)
                #expect(try await service.friends().friends == someFriends)
                #expect(await second.requests.count == 2)
                #expect(await first.requests.count == 1)
            }
        }
    }

    @Test("Another path of the same server keeps the login")
    func changedPath() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            try await edit(service.settings, #"{"baseURL": "\#(url)/v2"}"#)
            await #expect(throws: FriendsError.refused(url.appending(path: "v2"), status: 404)) {
                try await service.friends()
            }
            #expect(await server.requests.last?.path == "/v2/friends")
            #expect(await server.authorizations.last != .some(nil))
        }
    }

    @Test("A redirect is not followed, so that no other server sees the token")
    func redirect() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            try await withServer { other, target in
                let headers = HTTPHeaders([.location: target.appending(path: "friends").absoluteString])
                await server.answer { _ in .init(statusCode: .temporaryRedirect, headers: headers) }
                await #expect(throws: FriendsError.refused(url, status: 307)) { try await service.friends() }
                #expect(await other.requests.isEmpty)
            }
        }
    }

    @Test("Without a base URL, and with one that would send the token in the clear, nothing is asked")
    func noServer() async throws {
        for address in ["http://example.com", "ftp://127.0.0.1", "friends", "https://", ""] {
            // As when somebody wrote it into the file.
            try await withTemporaryStorage(preferences: #"{"baseURL": "\#(address)"}"#) {
                let service = FriendsService()
                let error = FriendsError.noServer(settings: PreferencesFile.standard.path)
                await #expect(throws: error) { try await service.friends() }
                await #expect(throws: FriendsError.improperAddress(address)) { try await service.settings.setBaseURL(address) }
                #expect(service.settings.baseURL == nil, "\(address)")
                try await service.settings.setBaseURL("https://example.com/api")
                #expect(service.settings.baseURL?.absoluteString == "https://example.com/api")
            }
        }
    }

    @Test("Numbers out of range are brought into it")
    func ranges() throws {
        withTemporaryStorage {
            let settings = FriendsSettings()
            settings.$pageSize.set(0)
            settings.$timeout.set(1_000_000)
            #expect(settings.pageSize == 1)
            #expect(settings.timeout == 300)
        }
    }

    /// Puts `text` in place of the file, as an editor does, and waits until the change has arrived.
    private func edit(_ settings: FriendsSettings, _ text: String) async throws {
        let before = settings.baseURL
        try text.write(toFile: PreferencesFile.standard.path, atomically: true, encoding: .utf8)
        for await url in settings.$baseURL.values where url != before { return }
    }
}
