import ExampleProcess
import Foundation
import Testing

@testable import FriendsServer

/// The program itself, as a process of its own.
@Suite(.timeLimit(.minutes(30)))
struct FriendsProgramTests {
    let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
    }

    @Test("Log in, list, log out; neither the password nor the token is printed or lies in a file")
    func session() async throws {
        try await withServer { server, url in
            try home.write(#"{"pageSize": 2}"#, to: preferences)
            let url = url.absoluteString
            #expect(try await friends("login", "ada", "--server", url, input: password) == ["Logged in."])
            #expect(home.text(of: preferences)?.contains(url) == true)

            #expect(try await friends("list") == someFriends.map(\.name))
            #expect(await server.requests.count == 4)  // the login and three pages
            let token = try #require(await server.authorizations.last ?? nil).dropFirst("Bearer ".count)
            for secret in [Data(token.utf8), Data(password.utf8)] {
                #expect(try home.files().allSatisfy { try Data(contentsOf: $0).range(of: secret) == nil })
            }

            #expect(try await friends("logout") == ["Logged out."])
            let words = try await friends("list", status: 1).joined()
            #expect(words.contains("You are not logged in at \(url)"))
        }
    }

    @Test("Without a keyring it says so, and does not say that nobody is logged in")
    func noKeyring() async throws {
        try home.write(#"{"baseURL": "http://127.0.0.1:9"}"#, to: preferences)
        let words = try await friends("list", keyring: nil, status: 1).joined()
        #expect(words.contains("It is not known whether you are logged in."))
        #expect(!words.contains("Log in first"))
    }

    @Test("A wrong address and a missing password are reported")
    func wrongUsage() async throws {
        let words = try await friends("login", "ada", "--server", "http://example.com", input: password, status: 1)
        #expect(words.joined().contains("http://example.com is not the address of a server"))
        #expect(try await friends("login", "ada", status: 64).joined().contains("No password was given."))
    }

    private let preferences = ".config/com.example.Friends/preferences.json"

    /// Runs the program to its end, and returns what it printed.
    private func friends(
        _ arguments: String..., keyring: String? = "secrets", input: String = "", status: Int32 = 0
    ) async throws -> [String] {
        let environment = keyring.map { ["STORED_VALUES_KEYRING": "file:\(home.path)/\($0)"] } ?? [:]
        let program = try ExampleProcess("Friends", arguments, home: home.path, environment: environment, input: input)
        let lines = await program.allLines
        #expect(await program.exitStatus == status, "\(lines)")
        return lines
    }
}
