#if Fleet
    import NIOSSL
    import StoredValues
    import StoredValuesFiles
    import StoredValuesSupport

    /// Client credentials: paths of files. Certificates are read when the client is made, and again when one was refused, so that renewed ones are
    /// picked up. No secret is passed as an argument.
    public struct FleetAccess: Sendable, Equatable {
        /// The certificates of the authorities that may have signed the cluster's, in PEM; the system's if nil.
        public var authorities: String?
        /// This client's certificate, with those of its issuers after it, in PEM.
        public var certificate: String?
        /// The private key of the certificate, in PEM.
        public var key: String?
        /// A file with the line `name:password` that only its owner can read, a systemd credential, or a file in `/run/secrets` or a volume
        /// of Kubernetes, which others in the container may read.
        public var user: String?

        /// Access with these files; nil for those that the cluster does not require.
        public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil, user: String? = nil) {
            (self.authorities, self.certificate, self.key, self.user) = (authorities, certificate, key, user)
        }
    }

    extension FleetAccess {
        /// The settings of a TLS connection. Throws if a file cannot be used.
        func configuration() throws(FleetError) -> TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            if let authorities {
                configuration.trustRoots = .certificates(
                    try Self.reading(authorities, "certificates of authorities") { try NIOSSLCertificate.fromPEMBytes($0) })
            }
            if let certificate {
                let chain = try Self.reading(certificate, "a certificate") { try NIOSSLCertificate.fromPEMBytes($0) }
                configuration.certificateChain = chain.map { .certificate($0) }
                guard let key else { throw .misconfigured("The certificate \"\(certificate)\" was given without its private key. Name both.") }
                configuration.privateKey = .privateKey(try Self.reading(key, "a private key") { try NIOSSLPrivateKey(bytes: $0, format: .pem) })
                // While they are being renewed, the two may not match for a moment, which the error of a connection would not name.
                do { _ = try NIOSSLContext(configuration: configuration) } catch {
                    throw .misconfigured("\"\(key)\" is not the private key of \"\(certificate)\". Name the one that belongs to it.")
                }
            }
            return configuration
        }

        private static func reading<Result>(_ path: String, _ what: String, _ parse: ([UInt8]) throws -> Result) throws(FleetError) -> Result {
            let bytes: [UInt8]?
            // Errors of NIOSSL do not name the file, or why it cannot be read.
            do { bytes = try DurableFile(path: path).read()?.bytes } catch { throw .misconfigured("\(error)") }
            guard let bytes else { throw .misconfigured("There is no file \"\(path)\" with \(what).") }
            do { return try parse(bytes) } catch { throw .misconfigured("\"\(path)\" does not hold \(what) in PEM.") }
        }

        /// The user's name and password; nil if there is no file for them. Throws if others can read them.
        func login() throws(FleetError) -> (name: String, password: String)? {
            guard let user else { return nil }
            let line: [UInt8]
            do {
                let file = try SecretFile.open(user, from: Self.provider(of: user))
                let bytes = file.status.identity.size <= 1 << 16 ? try file.contents() : Secret([UInt8]())  // no such line is longer
                line = bytes.withBytes { $0.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.map(\.self) }
            } catch let refusal as SecretFile.Refusal {
                throw .misconfigured(Self.sentence(refusal, user))
            } catch {
                throw .misconfigured("\(error)")
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = String(validating: line[..<colon], as: UTF8.self),
                let password = String(validating: line[(colon + 1)...], as: UTF8.self), !name.isEmpty, !password.isEmpty
            else { throw .misconfigured("\"\(user)\" does not hold one line name:password.") }
            return (name, password)
        }

        /// Who provides that file: systemd, in the folder of its variable; a container runtime, in Docker's folder or in a volume of
        /// Kubernetes, which swaps its files by the link `..data`; otherwise the user.
        private static func provider(of path: String) -> SecretFile.Provider {
            let folder = ResolvedPath.folder(of: DurableFile(path: path).path)
            if let credentials = try? environmentVariable("CREDENTIALS_DIRECTORY"), credentials.isIdentical(to: folder) { return .credential }
            let volume = try? FileOperations.posix.status(at: folder + "/..data", followingLinks: false)
            return folder.isIdentical(to: "/run/secrets") || volume?.kind == .link ? .mounted : .own
        }

        private static func sentence(_ refusal: SecretFile.Refusal, _ path: String) -> String {
            switch refusal {
            case .system(.noEntry): "There is no file \"\(path)\" with the user's name and password."
            case .system(.linkCircle): "\"\(path)\" with the user's name and password is a symbolic link. Name the file itself."
            case .system(let code): "\(FileError(.read, path, code))"
            case .notRegular(let kind): "\"\(path)\" with the user's name and password is \(kind.rawValue), not a regular file."
            case .notPrivate:
                "\"\(path)\" has a password, and others can read or change it: it must belong to this user or root, and to nobody else (chmod 600)."
            }
        }
    }
#endif
