import Foundation

/// A request that knows what its answer becomes, and no server.
struct Request<Answer: Sendable>: Sendable {
    let method: String
    /// Below the server's base URL.
    let path: String
    var query: [URLQueryItem] = []
    var body: (any Encodable & Sendable)?
    let decode: @Sendable (Data) throws -> Answer
}

extension Request where Answer: Decodable {
    /// A request that is answered with JSON.
    init(_ method: String, _ path: String, query: [URLQueryItem] = [], body: (any Encodable & Sendable)? = nil) {
        self.init(method: method, path: path, query: query, body: body) { try JSONDecoder().decode(Answer.self, from: $0) }
    }
}

extension Request<Void> {
    /// A request whose answer says only that it was done.
    init(_ method: String, _ path: String) {
        self.init(method: method, path: path) { _ in }
    }
}
