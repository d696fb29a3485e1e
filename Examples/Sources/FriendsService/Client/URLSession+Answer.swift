import Foundation
import FoundationNetworking

extension URLSession {
    /// The answer to `request`, whatever its status. Throws `URLError`, or `CancellationError` when the task is cancelled,
    /// which cancels the request.
    ///
    /// Not `data(for:)`: on Linux that can wait for ever when it is cancelled just as the answer arrives
    /// (https://github.com/swiftlang/swift-corelibs-foundation/issues/5412; seen with Swift 6.3.1).
    func answer(to request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (answers, answer) = AsyncThrowingStream<(Data, HTTPURLResponse), any Error>.makeStream()
        let task = dataTask(with: request) { data, response, error in
            if let data, let response = response as? HTTPURLResponse { answer.yield((data, response)) }
            answer.finish(throwing: error)
        }
        task.delegate = RedirectRefusal()
        answer.onTermination = { _ in DispatchQueue.global().async { task.cancel() } }
        task.resume()
        for try await answer in answers { return answer }
        throw CancellationError()
    }
}

/// Takes a redirect for the answer: what it leads to may be another server, which must not see the token.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
