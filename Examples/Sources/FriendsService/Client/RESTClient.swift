import Foundation
import FoundationNetworking

/// Sends requests and reads their answers. Knows HTTP and JSON; nothing of friends, of settings, or where a token is kept.
struct RESTClient: Sendable {
    // Ephemeral: no cookie and no answer is left on the disk.
    private static let session = URLSession(configuration: .ephemeral)

    /// Cancelling the task cancels the request.
    func send<Answer>(
        _ request: Request<Answer>, to server: Server, token: BearerToken? = nil
    ) async throws(FriendsError) -> Answer {
        let data = try await data(for: urlRequest(request, server, token), from: server)
        do {
            return try request.decode(data)
        } catch {
            throw .unexpectedAnswer(server.url, path: request.path)
        }
    }

    private func urlRequest<Answer>(
        _ request: Request<Answer>, _ server: Server, _ token: BearerToken?
    ) throws(FriendsError) -> URLRequest {
        let url = server.url.appending(path: request.path).appending(queryItems: request.query)
        var result = URLRequest(url: url)
        result.timeoutInterval = Double(server.timeout)
        result.httpMethod = request.method
        if let token { result.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization") }
        if let body = request.body {
            result.setValue("application/json", forHTTPHeaderField: "Content-Type")
            do { result.httpBody = try JSONEncoder().encode(body) } catch { throw .notEncodable(path: request.path) }
        }
        return result
    }

    private func data(for request: URLRequest, from server: Server) async throws(FriendsError) -> Data {
        let data: Data
        let response: HTTPURLResponse
        do {
            (data, response) = try await Self.session.answer(to: request)
        } catch let error as URLError {
            throw FriendsError(error, server)
        } catch {
            throw .cancelled  // a CancellationError: nothing else is thrown
        }
        guard 200..<300 ~= response.statusCode else { throw .refused(server.url, status: response.statusCode) }
        return data
    }
}
