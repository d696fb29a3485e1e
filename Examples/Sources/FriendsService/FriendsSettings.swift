import Foundation
import StoredValues

/// What people can set, in the preferences file. A change holds from the next request on, whoever makes it.
public struct FriendsSettings: Sendable {
    /// Where the server is; nil until somebody says it.
    @StoredValue(.baseURL) public var baseURL
    /// How many seconds the server may be silent.
    @StoredValue(.timeout) public var timeout
    /// How many friends are asked for at once.
    @StoredValue(.pageSize) public var pageSize

    /// The settings of this program.
    public init() {}

    /// What the settings say now. One request uses one of these, so that a change in the middle of it mixes nothing.
    var server: Server {
        get throws(FriendsError) {
            let (baseURL, timeout) = PreferencesFile.standard.withConsistentValues { (baseURL, timeout) }
            guard let baseURL else { throw .noServer(settings: PreferencesFile.standard.path) }
            return Server(url: baseURL, timeout: timeout)
        }
    }

    /// Stores where the server is. Returns when that is on the disk.
    public func setBaseURL(_ address: String) async throws(FriendsError) {
        guard let url = URL(string: address) else { throw .improperAddress(address) }
        do throws(PreferencesError) {
            try $baseURL.set(checking: url)
            try await $baseURL.flush()
        } catch .notValid {
            throw .improperAddress(address)
        } catch {
            throw .settings(error)
        }
    }
}

extension StoredKey where Item == URL? {
    /// Passwords and tokens travel encrypted, or do not leave this machine.
    static let baseURL = StoredKey(
        "baseURL", default: nil,
        validate: { url in
            guard let url else { return nil }
            let isLocal = ["localhost", "127.0.0.1", "::1"].contains(url.host)
            guard url.host != nil, url.scheme == "https" || url.scheme == "http" && isLocal else {
                throw FriendsError.improperAddress(url.absoluteString)
            }
            return url
        }, help: "The server's address")
}

extension StoredKey where Item == Int {
    // Whole seconds, for URLSession on Linux knows no parts.
    static let timeout = StoredKey("timeout", default: 30, in: 1...300, help: "How many seconds the server may be silent")
    static let pageSize = StoredKey("pageSize", default: 20, in: 1...100, help: "How many friends are asked for at once")
}
