import FlyingFox
import Foundation
import StoredValues
import Testing

@testable import FriendsServer
@testable import FriendsService

/// Requests that end otherwise than well.
@Suite(.timeLimit(.minutes(30)))
struct RequestTroubleTests {
    @Test("A request that is cancelled ends at once, wherever it is, and the login stays")
    func cancellation() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            let arrivals = await server.neverAnswer()
            let request = Task { try await service.friends() }
            for await _ in arrivals { break }
            request.cancel()
            #expect(await request.result.failure == .cancelled)

            await server.answer(with: nil)
            #expect(try await service.friends().friends == someFriends)
        }
    }

    @Test("A task that is cancelled before it begins asks no server")
    func cancelledBefore() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            let count = await server.requests.count
            let request = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await service.friends()
            }
            #expect(await request.result.failure == .cancelled)
            #expect(await server.requests.count == count)
        }
    }

    @Test("Requests that are cancelled just as their answers arrive all end", arguments: 0..<20)
    func cancellationRace(round: Int) async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            await withTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask { _ = try? await service.friends() }
                }
                for _ in 0..<round / 2 { await group.next() }
                group.cancelAll()
            }
            #expect(try await service.friends().friends == someFriends)
        }
    }

    @Test("A server that is silent for longer than the timeout")
    func timeout() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            service.settings.$timeout.set(1)
            _ = await server.neverAnswer()
            await #expect(throws: FriendsError.timedOut(url, seconds: 1)) { try await service.friends() }
        }
    }

    @Test("A server that is not there")
    func unreachable() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            await server.stop()
            let error = await #expect(throws: FriendsError.self) { try await service.friends() }
            guard case .unreachable(url, _) = error else { throw Unexpected(error: error) }
            #expect(try await storedToken.load() != nil)
        }
    }

    @Test("A server that fails, and one that answers something else")
    func strangeAnswers() async throws {
        try await withFriends { server, service, url in
            try await service.logIn(ada)
            await server.answer { _ in .init(statusCode: .serviceUnavailable) }
            await #expect(throws: FriendsError.refused(url, status: 503)) { try await service.friends() }

            await server.answer { _ in .init(statusCode: .ok, body: Data("<html>".utf8)) }
            await #expect(throws: FriendsError.unexpectedAnswer(url, path: "friends")) { try await service.friends() }
            #expect(try await storedToken.load() != nil)
        }
    }
}

private struct Unexpected: Error {
    let error: FriendsError?
}

extension Result {
    fileprivate var failure: FriendsError? {
        if case .failure(let error) = self { error as? FriendsError } else { nil }
    }
}

extension FriendsServer {
    /// Answers no request from now on. Each arrival is an element.
    func neverAnswer() -> AsyncStream<Void> {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        answer { _ in
            arrival.yield()
            for await _ in AsyncStream<Never>.makeStream().stream {}  // ends when the server does
            return HTTPResponse(statusCode: .serviceUnavailable)
        }
        return arrivals
    }
}
