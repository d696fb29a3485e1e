#if Fleet
    import NIOSSL
    import StoredValuesFiles
    import StoredValuesSupport

    extension FleetAccess {
        /// The settings of a TLS connection. Throws if a file cannot be used.
        func configuration() throws(FleetError) -> TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            if let authorities {
                configuration.trustRoots = .certificates(
                    try Self.reading(authorities, "certificates of authorities") { try NIOSSLCertificate.fromPEMFile(authorities) })
            }
            if let certificate {
                let chain = try Self.reading(certificate, "a certificate") { try NIOSSLCertificate.fromPEMFile(certificate) }
                configuration.certificateChain = chain.map { .certificate($0) }
                guard let key else { throw .misconfigured("The certificate \"\(certificate)\" was given without its private key. Name both.") }
                configuration.privateKey = .privateKey(
                    try Self.reading(key, "a private key") { try NIOSSLPrivateKey(file: key, format: .pem) })
            }
            return configuration
        }

        private static func reading<Result>(_ path: String, _ what: String, _ body: () throws -> Result) throws(FleetError) -> Result {
            do {
                // NIOSSL says neither which file it was nor why it could not be read.
                guard try DurableFile(path: path).read() != nil else { throw FleetError.misconfigured("There is no file \"\(path)\" with \(what).") }
                return try body()
            } catch let error as FleetError {
                throw error
            } catch let error as FileError {
                throw .misconfigured("\(error)")
            } catch {
                throw .misconfigured("\"\(path)\" does not hold \(what) in PEM.")
            }
        }

        /// The user's name and password; nil if there is no file for them.
        func login() throws(FleetError) -> EtcdLogin? {
            guard let user else { return nil }
            let bytes: [UInt8]?
            do { bytes = try DurableFile(path: user).read()?.bytes } catch { throw .misconfigured("\(error)") }
            guard let bytes else { throw .misconfigured("There is no file \"\(user)\" with the user's name and password.") }
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = String(validating: line[..<colon], as: UTF8.self),
                let password = String(validating: line[(colon + 1)...], as: UTF8.self), !name.isEmpty, !password.isEmpty
            else { throw .misconfigured("\"\(user)\" does not hold one line name:password.") }
            return EtcdLogin(name: name, password: password)
        }
    }
#endif
