import Foundation
import FoundationNetworking
import StoredValues

/// Why the list of friends is unavailable. The description says what to do.
public enum FriendsError: Error, Equatable {
    /// No server is set in this file.
    case noServer(settings: String)
    /// The password and the token would not be encrypted on the way to this address, or it is not an address.
    case improperAddress(String)
    /// The settings could not be saved.
    case settings(PreferencesError)
    /// The server does not know this name with this password.
    case wrongCredentials(URL)
    /// The keyring answered, and has no token of this server.
    case notLoggedIn(URL)
    /// The server no longer accepts the token, which was removed.
    case loginExpired(URL)
    /// The keyring gave no answer, so it is not known whether there is a token.
    case keyring(KeyringError)
    /// The task was cancelled.
    case cancelled
    /// The server was silent for this many seconds.
    case timedOut(URL, seconds: Int)
    /// The server cannot be reached, and why.
    case unreachable(URL, reason: String)
    /// The server answered with a status other than success; a redirect is one.
    case refused(URL, status: Int)
    /// The answer does not decode as the answer to this request.
    case unexpectedAnswer(URL, path: String)
    /// The body of this request cannot be sent.
    case notEncodable(path: String)
}

extension FriendsError {
    init(_ error: SecretError) {
        self = error.reason == .cancelled ? .cancelled : .keyring(error.reason)
    }

    init(_ error: URLError, _ server: Server) {
        self =
            switch error.code {
            case .cancelled: .cancelled
            case .timedOut: .timedOut(server.url, seconds: server.timeout)
            default: .unreachable(server.url, reason: error.localizedDescription)
            }
    }
}

extension FriendsError: CustomStringConvertible {
    /// What happened and what to do, for the user.
    public var description: String {
        switch self {
        case .noServer(let settings):
            "No server is set. Log in with --server <address>, or set \"baseURL\" in \(settings)."
        case .improperAddress(let address):
            "\(address) is not the address of a server: use https://, or http:// for a server on this machine."
        case .settings(let error):
            "The settings were not saved. \(error)"
        case .wrongCredentials(let url):
            "\(url) does not know this name with this password. Nothing was stored; try again."
        case .notLoggedIn(let url):
            "You are not logged in at \(url). Log in first."
        case .loginExpired(let url):
            "\(url) no longer accepts your login, which was removed. Log in again."
        case .keyring(let error):
            "It is not known whether you are logged in. \(error.localizedDescription)"
        case .cancelled:
            "The request was cancelled."
        case .timedOut(let url, let seconds):
            "\(url) was silent for \(seconds) seconds. Try again, or set a longer \"timeout\"."
        case .unreachable(let url, let reason):
            "\(url) cannot be reached: \(reason) Check \"baseURL\" and the network."
        case .refused(let url, let status):
            "\(url) answered with status \(status). Check \"baseURL\", or try again later."
        case .unexpectedAnswer(let url, let path):
            "\(url) gave an unexpected answer to \"\(path)\". Check \"baseURL\"."
        case .notEncodable(let path):
            "The body of \"\(path)\" cannot be sent as JSON."
        }
    }
}

extension FriendsError: LocalizedError {
    /// The description, which is what `localizedDescription` says then.
    public var errorDescription: String? { description }
}
