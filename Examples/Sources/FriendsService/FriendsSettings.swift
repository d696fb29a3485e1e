import Foundation
import StoredValues

/// What users can set, in the preferences file. A change applies from the next request on, whoever makes it.
public struct FriendsSettings: Sendable {
    /// Where the server is; nil until it is set.
    @StoredValue(key: "baseURL", validate: checkAddress) public var baseURL: URL? = nil

    /// How many seconds the server may be silent. An integer, because URLSession on Linux supports no fractions.
    @StoredValue(key: "timeout", in: 1...300) public var timeout = 30

    /// How many friends one request asks for.
    @StoredValue(key: "pageSize", in: 1...100) public var pageSize = 20

    /// The settings of this program.
    public init() {}

    /// What the settings say now. One request uses one of these, so that a change in the middle of it mixes nothing.
    var server: Server {
        get throws(FriendsError) {
            let (url, timeout) = PreferencesFile.standard.withConsistentValues { (baseURL, self.timeout) }
            guard let url else { throw .noServer(settings: PreferencesFile.standard.path) }
            return Server(url: url, timeout: timeout)
        }
    }

    /// Stores where the server is. Returns when that is on the disk.
    public func setBaseURL(_ address: String) async throws(FriendsError) {
        guard let url = URL(string: address) else { throw .improperAddress(address) }
        do throws(PreferencesError) {
            try $baseURL.set(checking: url)
            try await $baseURL.flush()
        } catch {
            if case .notValid = error { throw .improperAddress(address) }
            throw .settings(error)
        }
    }

    /// Passwords and tokens are sent encrypted, or only to this machine.
    @Sendable private static func checkAddress(_ url: URL?) throws -> URL? {
        guard let url else { return nil }
        let isLocal = ["localhost", "127.0.0.1", "::1"].contains(url.host)
        guard url.host != nil, url.scheme == "https" || url.scheme == "http" && isLocal else {
            throw FriendsError.improperAddress(url.absoluteString)
        }
        return url
    }
}
