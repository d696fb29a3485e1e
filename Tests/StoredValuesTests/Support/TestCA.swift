import Foundation

/// A certificate authority of the tests' own, made with openssl. Its files last as long as the test process.
final class TestCA: Sendable {
    /// A certificate and its key, in files.
    struct Certificate: Sendable {
        let file: String
        let key: String
    }

    /// Its own certificate, which others trust.
    let file: String
    /// For every server of the tests, wherever it listens; etcd's members are each other's clients by it, too.
    let server: Certificate
    /// A client's, with alternative names only.
    let client: Certificate
    /// A client's with a common name: etcd's gateway refuses it once authentication is on.
    let named: Certificate

    /// The one that servers and clients of the tests trust.
    static func shared() async throws -> TestCA { try await one.value }
    /// One that nobody trusts.
    static func stranger() async throws -> TestCA { try await other.value }

    private static let one = Task { try await TestCA(in: "\(ProcessFolder.path)/ca") }
    private static let other = Task { try await TestCA(in: "\(ProcessFolder.path)/stranger") }

    private init(in folder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let openssl = OpenSSL(folder: folder)
        file = try await openssl.certificate("ca", subject: "/CN=swift-stored-values tests", extensions: []).file
        let networks = (1...TestNetwork.mostHosts).map { "IP:\(TestNetwork.address(of: $0))" }
        let names = (["IP:127.0.0.1", "IP:::1", "DNS:localhost"] + networks).joined(separator: ",")
        server = try await openssl.certificate("server", subject: "/", extensions: ["subjectAltName=critical,\(names)"])
        client = try await openssl.certificate("client", subject: "/", extensions: ["subjectAltName=critical,DNS:client.test"])
        named = try await openssl.certificate("named", subject: "/CN=ann", extensions: ["subjectAltName=DNS:named.test"])
    }
}

private struct OpenSSL {
    let folder: String

    /// A new certificate by the authority in this folder, or that authority's own if there are no extensions. For a week, with a key
    /// that is made and used fast.
    func certificate(_ name: String, subject: String, extensions: [String]) async throws -> TestCA.Certificate {
        guard let program = Program(named: "openssl") else { throw SystemFailure("make a certificate without openssl", ENOENT) }
        let certificate = TestCA.Certificate(file: "\(folder)/\(name).crt", key: "\(folder)/\(name).key")
        let authority = ["-CA", "\(folder)/ca.crt", "-CAkey", "\(folder)/ca.key", "-addext", "basicConstraints=critical,CA:FALSE"]
        let result = try await FinishedProgram.run(
            [program.path, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "7"]
                + ["-keyout", certificate.key, "-out", certificate.file, "-subj", subject]
                + (extensions.isEmpty ? [] : authority + extensions.flatMap { ["-addext", $0] }),
            environment: ProcessInfo.processInfo.environment, in: folder)
        guard result.status == 0 else { throw Refused(what: name, errors: result.errors) }
        return certificate
    }

    private struct Refused: Error {
        let what: String
        let errors: String
    }
}
