import Foundation
import StoredValues

/// A user's friends, as the server has them.
///
///     let service = FriendsService()
///     try await service.logIn(Credentials(name: "ada", password: password))
///     for try await page in service.pages { print(page.friends) }
///
/// The server's token is in the keyring. It is sent with each request to that server and to no other, and removed when the
/// server no longer accepts it. All calls can be cancelled, and all errors are ``FriendsError``.
public struct FriendsService: Sendable {
    /// Where the server is, and how it is asked.
    public let settings = FriendsSettings()
    @SecurelyStoredValue(key: "token") private var token: BearerToken?
    private let client = RESTClient()

    /// The service that the settings of this program name.
    public init() {}

    /// Logs in, and keeps the token.
    public func logIn(_ credentials: Credentials) async throws(FriendsError) {
        let server = try settings.server
        _ = try await storedToken()  // a keyring that gives no answer throws before the password is sent
        let login: Login
        do {
            login = try await client.send(.logIn(credentials), to: server)
        } catch .refused(_, status: 401) {
            throw .wrongCredentials(server.url)
        }
        do throws(SecretError) {
            try await $token.set(BearerToken(text: login.token, origin: server.origin))
        } catch {
            throw FriendsError(error)
        }
    }

    /// Removes the token, here and on the server. Succeeds when there is none.
    public func logOut() async throws(FriendsError) {
        guard let token = try await storedToken() else { return }
        try await drop(token)  // first, so that it is removed even if the server cannot be reached
        let server = try settings.server
        guard token.origin == server.origin else { return }
        do {
            try await client.send(.logOut, to: server, token: token)
        } catch .refused(_, status: 401) {
            // The server had removed it already.
        }
    }

    /// One page of the list: the friends that come after `last`, or the first ones.
    public func friends(after last: Friend.ID? = nil) async throws(FriendsError) -> FriendPage {
        try await send(.friends(after: last, limit: settings.pageSize))
    }

    /// The whole list, page by page. A page is asked for when the loop comes to it.
    public var pages: FriendPages { FriendPages(service: self) }

    // MARK: Inside

    private func send<Answer>(_ request: Request<Answer>) async throws(FriendsError) -> Answer {
        let server = try settings.server
        guard let token = try await storedToken(), token.origin == server.origin else { throw .notLoggedIn(server.url) }
        do {
            return try await client.send(request, to: server, token: token)
        } catch .refused(_, status: 401) {
            try await drop(token)
            throw .loginExpired(server.url)
        }
    }

    /// The token, or nil when there is none. Asks the keyring. The nil of the property may also mean that the keyring is locked,
    /// which is no reason to log in again.
    private func storedToken() async throws(FriendsError) -> BearerToken? {
        do throws(SecretError) { return try await $token.load() } catch { throw FriendsError(error) }
    }

    /// Removes `old` and no other token: another task may have logged in again.
    private func drop(_ old: BearerToken) async throws(FriendsError) {
        do throws(SecretError) {
            try await $token.update { token in
                if token == old { token = nil }
            }
        } catch {
            throw FriendsError(error)
        }
    }
}

/// What the server answers to a login.
private struct Login: Decodable, Sendable {
    let token: String
}

extension Request<Login> {
    fileprivate static func logIn(_ credentials: Credentials) -> Self { Self("POST", "session", body: credentials) }
}

extension Request<Void> {
    fileprivate static var logOut: Self { Self("DELETE", "session") }
}

extension Request<FriendPage> {
    fileprivate static func friends(after last: Friend.ID?, limit: Int) -> Self {
        let last = last.map { [URLQueryItem(name: "after", value: "\($0)")] } ?? []
        return Self("GET", "friends", query: last + [URLQueryItem(name: "limit", value: "\(limit)")])
    }
}
