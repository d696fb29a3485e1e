import ExampleProcess
import FlyingFox
import Foundation
import StoredValues
import Testing

@testable import FriendsServer
@testable import FriendsService

/// The password and the token are never printed, whatever goes wrong.
@Suite(.timeLimit(.minutes(30)))
struct SilenceTests {
    @Test("No token and no service prints a secret")
    func values() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada, andGet: markedToken, from: server)
            expectNoSecret(in: try #require(await storedToken.load()))
            expectNoSecret(in: service)
        }
    }

    @Test(
        "No error prints a secret where the server refuses, and sends back what it was sent",
        arguments: [
            HTTPStatusCode.ok, .found, .unauthorized, .serviceUnavailable,
        ])
    func refusals(status: HTTPStatusCode) async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada, andGet: markedToken, from: server)
            await server.answer { request in  // with the secrets that it was sent
                let authorization = request.headers[.authorization] ?? ""
                return try await HTTPResponse(
                    statusCode: status, headers: [.location: "/\(authorization)"],
                    body: Data(authorization.utf8) + request.bodyData)
            }
            let errors = await failures(of: service)
            expectNoSecret(in: errors)
            switch status {
            case .ok: #expect(errors == ["session", "friends"].map { .unexpectedAnswer(url, path: $0) })
            case .unauthorized: #expect(errors == [.wrongCredentials(url), .loginExpired(url)])
            default: #expect(errors == [.refused(url, status: status.code), .refused(url, status: status.code)])
            }
        }
    }

    @Test("No error prints a secret where there is no answer: the server is silent or gone, or the task cancelled")
    func noAnswer() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada, andGet: markedToken, from: server)
            service.settings.$timeout.set(1)
            _ = await server.neverAnswer()
            let silent = await failures(of: service)
            expectNoSecret(in: silent)
            #expect(silent == [.timedOut(url, seconds: 1), .timedOut(url, seconds: 1)])

            let cancelled = await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await failures(of: service)
            }.value
            expectNoSecret(in: cancelled)
            #expect(cancelled == [.cancelled, .cancelled])

            service.settings.$timeout.set(300)  // a second may be over before the refusal arrives
            await server.stop()
            let gone = await failures(of: service)
            expectNoSecret(in: gone)
            #expect(gone.allSatisfy { if case .unreachable(url, _) = $0 { true } else { false } }, "\(gone)")
        }
    }

    @Test("No error of the keyring or the settings prints a secret")
    func storage() async throws {
        let keyring = InMemoryKeyring()
        try await withFriends(keyring: keyring) { server, service, url in
            try await service.logIn(ada, andGet: markedToken, from: server)
            keyring.inject(.locked)
            let locked = await failures(of: service)
            expectNoSecret(in: locked)
            #expect(locked == [.keyring(.locked), .keyring(.locked)])
            keyring.inject(nil)

            let id = SecretIdentifier(service: ProcessInfo.processInfo.processName, account: "token")
            try await keyring.write(Secret(secretMark.utf8), for: id, label: "what is no token")
            let garbled = await failures(of: service)
            expectNoSecret(in: garbled)
            #expect(garbled == [.keyring(.notDecodable), .keyring(.notDecodable)])

            try await storedToken.reset()
            await server.answer { _ in .init(statusCode: .unauthorized) }
            let absent = await failures(of: service)
            expectNoSecret(in: absent)
            #expect(absent == [.wrongCredentials(url), .notLoggedIn(url)])

            service.settings.$baseURL.set(nil)
            let nowhere = await failures(of: service)
            expectNoSecret(in: nowhere)
            let noServer = FriendsError.noServer(settings: PreferencesFile.standard.path)
            #expect(nowhere == [noServer, noServer])
        }
    }
}

private let markedToken = "\(secretMark)-token"

/// What a login and a request fail with, with the password and the token.
private func failures(of service: FriendsService) async -> [FriendsError?] {
    [
        await #expect(throws: FriendsError.self) { try await service.logIn(ada) },
        await #expect(throws: FriendsError.self) { try await service.friends() },
    ]
}

/// Prints `value` in all the ways that there are.
private func expectNoSecret(in value: Any) {
    var output = ""
    dump(value, to: &output)
    print("\(value)", String(reflecting: value), to: &output)
    for case let error as any Error in value as? [Any] ?? [] {
        print("\(error)", error.localizedDescription, to: &output)
    }
    #expect(!output.contains(secretMark))
}

extension FriendsService {
    /// Logs in at `server`, which gives `token`.
    fileprivate func logIn(_ credentials: Credentials, andGet token: String, from server: FriendsServer) async throws {
        await server.answer { _ in .init(statusCode: .ok, body: Data(#"{"token": "\#(token)"}"#.utf8)) }
        try await logIn(credentials)
    }
}
