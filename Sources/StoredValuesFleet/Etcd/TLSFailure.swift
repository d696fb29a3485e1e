#if Fleet
    import FoundationEssentials
    import NIOCore
    import NIOPosix
    import NIOSSL
    import StoredValuesSupport

    /// Explains a failed TLS connection to a member so that an operator can fix it. BoringSSL reports only that a certificate could not be
    /// verified, and the line in its own source.
    struct TLSFailure: Sendable {
        let endpoint: EtcdEndpoint
        let access: FleetAccess
        let configuration: TLSConfiguration

        func error(_ error: any Error) async -> EtcdError {
            let words = "\(error)"
            func has(_ part: String) -> Bool { words.utf8.contains(part.utf8) }
            func untrusted(_ sentence: String) -> EtcdError { EtcdError(reason: .untrusted, sentence: sentence) }
            if error as? NIOSSLExtraError == .failedToValidateHostname {
                return untrusted("\(endpoint) has a certificate for another host or address")
            }
            if has("CERTIFICATE_VERIFY_FAILED") { return untrusted("\(endpoint) \(await verificationFailure())") }
            if has("_ALERT_"), has("CERTIFICATE") || has("UNKNOWN_CA") { return untrusted("\(endpoint) \(refusal(isExpired: has("EXPIRED")))") }
            if has("WRONG_VERSION_NUMBER") || has("HTTP_REQUEST") { return untrusted("\(endpoint) does not speak TLS") }
            let isHandshake = words.utf8.starts(with: "handshakeFailed".utf8)
            guard let reason = error is NIOSSLExtraError ? words : Self.reason(in: words) else {
                // Closed without an alert: the member is being stopped, or expects plaintext.
                let when = isHandshake ? " during the TLS handshake: it may be starting or ending, or speak no TLS" : ""
                return EtcdError(reason: .unreachable, sentence: "\(endpoint) closed the connection\(when)", mayHaveHappened: !isHandshake)
            }
            return EtcdError(reason: .untrusted, sentence: "\(endpoint) did not establish a TLS connection: \(reason)", mayHaveHappened: !isHandshake)
        }

        /// BoringSSL's name of the reason, without the place in its source; nil if there is none.
        private static func reason(in words: String) -> String? {
            guard let start = words.firstRange(of: "OPENSSL_internal:") else { return nil }
            return String(words[start.upperBound...].prefix { $0 != " " && $0 != "]" })
        }

        /// Why the member's certificate was not verified.
        private func verificationFailure() async -> String {
            let now = time(nil)
            let chain = await presentedCertificates()
            if let expired = chain.first(where: { $0.notValidAfter < now }) { return "has a certificate that expired at \(Self.text(expired.notValidAfter))" }
            if let early = chain.first(where: { $0.notValidBefore > now }) {
                return "has a certificate that is not valid before \(Self.text(early.notValidBefore)), by this machine's clock"
            }
            let known = access.authorities.map { "those in \"\($0)\"" } ?? "those that this system trusts"
            return "has a certificate from an authority other than \(known)"
        }

        /// Why the member refused this client's certificate, which etcd's alert may not tell.
        private func refusal(isExpired: Bool) -> String {
            guard let path = access.certificate else { return "requires a client certificate, and none was given" }
            let end = (try? NIOSSLCertificate.fromPEMFile(path))?.first?.notValidAfter
            if let end, end < time(nil) { return "refused the certificate in \"\(path)\", which expired at \(Self.text(end))" }
            if isExpired { return "refused the certificate in \"\(path)\" as expired: check both clocks" }
            return "refused the certificate in \"\(path)\": its authority is not one that the cluster trusts, or it is not for clients"
        }

        private static func text(_ time: time_t) -> String { FleetRecord.stamp(Date(timeIntervalSince1970: Double(time))) }

        /// The member's certificates; empty if they do not arrive in time. The connection is closed after them, and no request is sent.
        private func presentedCertificates() async -> [NIOSSLCertificate] {
            let chain = OneShot<[NIOSSLCertificate]>()
            let (configuration, name) = (configuration, endpoint.isAddress ? nil : endpoint.host)
            ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(1))
                .channelInitializer { channel in
                    channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
                    return channel.eventLoop.makeCompletedFuture {
                        let handler = try NIOSSLClientHandler(
                            context: NIOSSLContext(configuration: configuration), serverHostname: name,
                            customVerificationCallback: { (certificates: [NIOSSLCertificate], verdict: EventLoopPromise<NIOSSLVerificationResult>) in
                                chain.answer(certificates)
                                verdict.succeed(.failed)
                            })
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .connect(host: endpoint.host.isIdentical(to: "localhost") ? "127.0.0.1" : endpoint.host, port: endpoint.port)
                // Not the end of any channel: each address that is tried has one.
                .whenComplete { connection in
                    switch connection {
                    case .success(let channel): channel.closeFuture.whenComplete { _ in chain.answer([]) }
                    case .failure: chain.answer([])
                    }
                }
            return await chain.wait(cancelled: [])
        }
    }
#endif
