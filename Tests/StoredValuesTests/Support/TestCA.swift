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
    /// A server's on this machine, or a client's, whose time is over.
    let expired: Certificate
    /// A server's with another name.
    let elsewhere: Certificate

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
        expired = try await openssl.expired("expired", extensions: ["subjectAltName=critical,IP:127.0.0.1"])
        elsewhere = try await openssl.certificate("elsewhere", subject: "/", extensions: ["subjectAltName=critical,DNS:elsewhere.test"])
        named = try await openssl.certificate("named", subject: "/CN=ann", extensions: ["subjectAltName=DNS:named.test"])
    }
}

private struct OpenSSL {
    let folder: String

    /// A new certificate by the authority in this folder, or that authority's own if there are no extensions. For a week, with a key
    /// that is made and used fast.
    func certificate(_ name: String, subject: String, extensions: [String]) async throws -> TestCA.Certificate {
        let certificate = TestCA.Certificate(file: "\(folder)/\(name).crt", key: "\(folder)/\(name).key")
        let authority = ["-CA", "\(folder)/ca.crt", "-CAkey", "\(folder)/ca.key", "-addext", "basicConstraints=critical,CA:FALSE"]
        try await run(
            ["req", "-x509", "-days", "7", "-out", certificate.file] + Self.newKey(certificate.key, subject)
                + (extensions.isEmpty ? [] : authority + extensions.flatMap { ["-addext", $0] }))
        return certificate
    }

    /// One by the authority in this folder that was valid until yesterday.
    func expired(_ name: String, extensions: [String]) async throws -> TestCA.Certificate {
        let certificate = TestCA.Certificate(file: "\(folder)/\(name).crt", key: "\(folder)/\(name).key")
        let request = "\(folder)/\(name).csr", list = "\(folder)/\(name).extensions"
        try Data(extensions.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
        try await run(["req", "-new", "-out", request] + Self.newKey(certificate.key, "/"))
        try await run(
            ["x509", "-req", "-days", "-1", "-in", request, "-out", certificate.file, "-CA", "\(folder)/ca.crt", "-CAkey", "\(folder)/ca.key"]
                + ["-extfile", list])
        return certificate
    }

    private static func newKey(_ file: String, _ subject: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file, "-subj", subject]
    }

    private func run(_ arguments: [String]) async throws {
        guard let program = Program(named: "openssl") else { throw SystemFailure("make a certificate without openssl", ENOENT) }
        let result = try await FinishedProgram.run([program.path] + arguments, environment: ProcessInfo.processInfo.environment, in: folder)
        guard result.status == 0 else { throw Refused(what: arguments.joined(separator: " "), errors: result.errors) }
    }

    private struct Refused: Error {
        let what: String
        let errors: String
    }
}
