import FlyingFox
import Foundation
import FriendsService

/// A server of friends on this machine's loopback, to try the client against. It keeps everything in memory.
///
///     POST   /session                    {"name", "password"}: answers {"token"}, or 401
///     DELETE /session                    ends the session of the token
///     GET    /friends?after=<id>&limit=  answers {"friends": [{"id", "name"}], "hasMore"}, or 401
actor FriendsServer {
    private let friends: [Friend]
    private let password: String
    private let http: HTTPServer
    private var tokens: Set<String> = []

    /// What is in place of the next answers, for tests.
    private var standIn: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?
    /// The requests so far, for tests.
    private(set) var requests: [HTTPRequest] = []

    /// A server that accepts every user with this password.
    ///
    /// - Parameter port: Where it listens; with 0 the system chooses.
    init(friends: [Friend], password: String, port: UInt16 = 0) throws {
        self.friends = friends
        self.password = password
        http = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
    }

    /// Answers requests until its task is cancelled.
    func run() async throws {
        await http.appendRoute("*") { [weak self] request in
            try await self?.answer(request) ?? HTTPResponse(statusCode: .serviceUnavailable)
        }
        try await http.run()
    }

    /// Its address, as soon as it listens.
    var url: URL {
        get async throws {
            try await http.waitUntilListening(timeout: 60)  // a busy machine takes longer than the 5 seconds it has otherwise
            guard case .ip4(_, let port) = await http.listeningAddress,
                let url = URL(string: "http://127.0.0.1:\(port)")
            else { throw NotListening() }
            return url
        }
    }

    /// Listens no longer.
    func stop() async {
        await http.stop()
    }

    /// Ends all sessions, as a server may at any time.
    func endSessions() {
        tokens = []
    }

    /// Answers all requests from now on with `standIn`, or as usual again with nil.
    func answer(with standIn: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?) {
        self.standIn = standIn
    }

    // MARK: Answers

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        requests.append(request)
        if let standIn { return try await standIn(request) }
        return switch (request.method, request.path) {
        case (.POST, "/session"): try await logIn(request)
        case (.DELETE, "/session"): logOut(request)
        case (.GET, "/friends"): try page(request)
        default: HTTPResponse(statusCode: .notFound)
        }
    }

    private func logIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.bodyData
        guard let login = try? JSONDecoder().decode([String: String].self, from: body), login["password"] == password else {
            return HTTPResponse(statusCode: .unauthorized)
        }
        let token = UUID().uuidString
        tokens.insert(token)
        return try json(["token": token])
    }

    private func logOut(_ request: HTTPRequest) -> HTTPResponse {
        HTTPResponse(statusCode: tokens.remove(token(of: request)) == nil ? .unauthorized : .noContent)
    }

    private func page(_ request: HTTPRequest) throws -> HTTPResponse {
        guard tokens.contains(token(of: request)) else { return HTTPResponse(statusCode: .unauthorized) }
        let last = request.query["after"].flatMap(Int.init) ?? 0
        let rest = friends.filter { $0.id > last }
        let page = rest.prefix(request.query["limit"].flatMap(Int.init) ?? 20)
        return try json(FriendPage(friends: Array(page), hasMore: page.count < rest.count))
    }

    private func token(of request: HTTPRequest) -> String {
        String((request.headers[.authorization] ?? "").dropFirst("Bearer ".count))
    }

    private func json(_ answer: some Encodable) throws -> HTTPResponse {
        HTTPResponse(statusCode: .ok, headers: [.contentType: "application/json"], body: try JSONEncoder().encode(answer))
    }
}

/// It was stopped before its address was asked for.
struct NotListening: Error {}
