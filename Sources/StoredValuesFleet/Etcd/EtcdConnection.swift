#if Fleet
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL
    import StoredValuesFiles
    import StoredValuesSupport

    /// The HTTP client, set up for etcd: the only code that knows it.
    ///
    /// HTTP/1.1 only: a request that is cut short closes its connection, so that no later request uses a dead connection. Redirects are not
    /// followed, because they could lead to plaintext.
    final class EtcdConnection: Sendable {
        /// The largest answer that is read: all settings of an application, in base64.
        static let answerLimit = 128 << 20
        /// The largest error answer that is read.
        private static let problemLimit = 64 << 10

        private let client: HTTPClient
        /// For streams: each keeps its connection, and of those the client has only a few.
        private let streams: HTTPClient
        private let access: FleetAccess
        private let encryption: TLSConfiguration

        init(_ endpoints: [EtcdEndpoint], _ access: FleetAccess) throws(FleetError) {
            self.access = access
            encryption = endpoints.allSatisfy(\.isPlain) ? .makeClientConfiguration() : try access.configuration()
            var configuration = HTTPClient.Configuration()
            configuration.tlsConfiguration = encryption
            configuration.redirectConfiguration = .disallow
            configuration.httpVersion = .http1Only
            configuration.decompression = .disabled
            configuration.timeout.connect = .seconds(2)
            configuration.connectionPool.retryConnectionEstablishment = false  // the next member is tried instead
            configuration.dnsOverride = ["localhost": "127.0.0.1"]  // EtcdEndpoint allows plaintext to it
            // One event loop for requests and connections. With two, async-http-client 1.37 crashes if a server answers and closes before the
            // client knows that the request was written: it releases a connection that it has removed.
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            client = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = .max
            streams = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
        }

        deinit {
            // The closures keep the clients alive until they have shut down.
            for client in [client, streams] { client.shutdown { _ in } }
        }

        /// Sends a request and returns the status and body of the answer, all within `limit`.
        func post(
            _ request: EtcdRequest, to endpoint: EtcdEndpoint, token: String?, within limit: Duration
        ) async throws(EtcdError) -> (status: Int, body: [UInt8]) {
            // The client may send the request of a cancelled task, and return the answer before it notices the cancellation.
            if Task.isCancelled { throw .cancelled(mayHaveHappened: false) }
            do {
                let request = try HTTPClient.Request(
                    url: "\(endpoint)\(request.path)", method: .POST, headers: headers(token), body: .bytes(request.body))
                let task = client.execute(
                    request: request, delegate: ResponseAccumulator(request: request, maxBodySize: Self.answerLimit),
                    deadline: .now() + .nanoseconds(limit.nanoseconds))
                let response = try await withTaskCancellationHandler {
                    try await task.get()
                } onCancel: {
                    task.cancel()
                }
                return (Int(response.status.code), response.body.map { Array($0.readableBytesView) } ?? [])
            } catch {
                throw await failure(error, endpoint)
            }
        }

        /// Sends a request whose answer is a stream, and passes each part of it to `receive`, until that throws or the stream ends.
        func stream(
            _ request: EtcdRequest, to endpoint: EtcdEndpoint, token: String?,
            isolation: isolated (any Actor)? = #isolation, _ receive: ([UInt8]) async throws -> Void
        ) async throws {
            var message = HTTPClientRequest(url: "\(endpoint)\(request.path)")
            message.method = .POST
            message.headers = headers(token)
            // Without it a member that has lost its quorum keeps the stream open and sends nothing.
            message.headers.add(name: "Grpc-Metadata-hasleader", value: "true")
            message.body = .bytes(request.body)
            let response: HTTPClientResponse
            do { response = try await streams.execute(message, timeout: .seconds(5)) } catch { throw await failure(error, endpoint) }
            guard response.status == .ok else {
                let body = try? await response.body.collect(upTo: Self.problemLimit)
                throw EtcdError(status: Int(response.status.code), body: body.map { Array($0.readableBytesView) }, from: endpoint)
            }
            var parts = response.body.makeAsyncIterator()
            while true {
                let part: ByteBuffer?
                do { part = try await parts.next(isolation: isolation) } catch { throw await failure(error, endpoint) }
                guard let part else { return }
                try await receive(Array(part.readableBytesView))
            }
        }

        private func headers(_ token: String?) -> HTTPHeaders {
            var headers: HTTPHeaders = ["Content-Type": "application/json"]
            if let token { headers.add(name: "Authorization", value: token) }
            return headers
        }

        private func failure(_ error: any Error, _ endpoint: EtcdEndpoint) async -> EtcdError {
            func unreachable(_ words: String, mayHaveHappened: Bool = true) -> EtcdError {
                EtcdError(reason: .unreachable, sentence: "\(endpoint) \(words)", mayHaveHappened: mayHaveHappened)
            }
            switch error {
            case is CancellationError: return .cancelled(mayHaveHappened: true)
            case let error as HTTPClientError:
                switch error {
                case .cancelled: return .cancelled(mayHaveHappened: true)
                case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
                    return unreachable("could not be connected to in time", mayHaveHappened: false)
                case .deadlineExceeded, .readTimeout, .writeTimeout: return unreachable("did not answer in time")
                case .remoteConnectionClosed: return unreachable("closed the connection")
                default: return unreachable("could not be asked (\(error.shortDescription))")
                }
            case let error as NIOConnectionError:
                // The last is mostly that of IPv4: an address of IPv6 is tried first, on a network that may have none.
                let reason = error.connectionErrors.last.map { ($0.error as? IOError).map(Self.words) ?? "\($0.error)" }
                return unreachable("could not be connected to (\(reason ?? error.dnsAError.map { "\($0)" } ?? "no address"))", mayHaveHappened: false)
            // Only a connection attempt can be refused.
            case let error as IOError where error.errnoCode == ECONNREFUSED:
                return unreachable("could not be connected to (\(Self.words(error)))", mayHaveHappened: false)
            case let error as IOError: return unreachable("could not be asked (\(Self.words(error)))")
            case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
                return await TLSFailure(endpoint: endpoint, access: access, configuration: encryption).error(error)
            case is ResponseAccumulator.ResponseTooBigError: return .unintelligible(endpoint)
            default: return unreachable("could not be asked (\(error))")
            }
        }

        private static func words(_ error: IOError) -> String { "\(SystemErrorCode(rawValue: error.errnoCode))" }
    }
#endif
