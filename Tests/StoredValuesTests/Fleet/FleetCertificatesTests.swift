#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesFleet
    import Testing

    /// Each fault has a sentence of its own: what puts it right is another thing each time.
    @Suite("Fleet: what is wrong with a certificate", .hangLimit)
    struct FleetCertificatesTests {}

    extension FleetCertificatesTests {
        /// A certificate that a member shows, and what is said of it.
        enum Shown: String, CaseIterable {
            case expired, ofAnotherAuthority, forAnotherHost

            func certificate() async throws -> TestCA.Certificate {
                switch self {
                case .expired: try await TestCA.shared().expired
                case .ofAnotherAuthority: try await TestCA.stranger().server
                case .forAnotherHost: try await TestCA.shared().elsewhere
                }
            }

            var words: String {
                switch self {
                case .expired: "has a certificate that expired at 20"
                case .ofAnotherAuthority: "has a certificate from an authority other than those in \""
                case .forAnotherHost: "has a certificate for another host or address"
                }
            }
        }

        @Test("A member's certificate that has expired, is of another authority, or for another host: three sentences", arguments: Shown.allCases)
        func member(shown: Shown) async throws {
            let openssl = try Program.orSkip("openssl").path, certificate = try await shown.certificate(), ca = try await TestCA.shared()
            try await withTemporaryFolder { folder in
                let port = try LoopbackPort(), processes = TestProcesses()
                _ = try processes.start(
                    command: Leash.launcher(log: "\(folder)/server.log")
                        + [openssl, "s_server", "-accept", "127.0.0.1:\(port.number)", "-www", "-cert", certificate.file, "-key", certificate.key])
                let endpoint = "https://127.0.0.1:\(port.number)"
                let tool = try FleetTool(in: folder, endpoints: [endpoint]).with(["STORED_VALUES_FLEET_CA": ca.file])
                try await expectPlain("\(endpoint) \(shown.words)") { try await tool.run("get", "limit") }
                withExtendedLifetime(processes) {}
            }
        }

        @Test("Of a member that speaks no TLS it is said that it may speak none")
        func plain() async throws {
            try await withFleet(isSecure: false) { fleet in
                let endpoint = "https://127.0.0.1:\(fleet.etcd.members[0].port)"
                let words = "\(endpoint) closed the connection during the TLS handshake: it may be starting or ending, or speak no TLS"
                try await expectPlain(words, status: 69) { try await fleet.tool().run("get", "limit", "--endpoints", endpoint) }
            }
        }

        @Test("This client's certificate: none, one that has expired, and one of another authority")
        func client() async throws {
            try await withFleet { fleet in
                let ca = try #require(fleet.etcd.ca), stranger = try await TestCA.stranger().client
                func check(_ certificate: TestCA.Certificate?, _ words: String) async throws {
                    let variables = ["STORED_VALUES_FLEET_CERT": certificate?.file, "STORED_VALUES_FLEET_KEY": certificate?.key]
                    try await expectPlain(words) { try await fleet.tool().with(variables).run("get", "limit") }
                }
                try await check(nil, "requires a client certificate, and none was given")
                try await check(ca.expired, "refused the certificate in \"\(ca.expired.file)\", which expired at 20")
                try await check(stranger, "refused the certificate in \"\(stranger.file)\": its authority is not one that the cluster trusts")
            }
        }

        @Test("A stream of values throws where no certificate is accepted; it does not wait in vain")
        func values() async throws {
            try await withFleet { fleet in
                let stranger = try await TestCA.stranger(), ca = try #require(fleet.etcd.ca)
                for access in [
                    FleetAccess(authorities: stranger.file, certificate: ca.client.file, key: ca.client.key),
                    FleetAccess(authorities: ca.file, certificate: stranger.client.file, key: stranger.client.key),
                ] {
                    let client = try Fleet(endpoints: fleet.etcd.endpoints, applicationID: TestFleet.application, access: access)
                    var values = client.values("limit", as: Int.self).makeAsyncIterator()
                    let error = await #expect(throws: FleetError.self) { try await values.next() }
                    #expect(error?.reason == .accessDenied, "\(String(describing: error))")
                }
            }
        }

        /// Runs a command until it ends so and says this: on a busy machine an attempt may end before the member has shown what is wrong.
        /// It is one line, without a path of the build.
        private func expectPlain(_ words: String, status: Int32 = 77, _ command: () async throws -> FinishedProgram) async throws {
            var last: FinishedProgram?
            try await eventually("it says: \(words)") {
                let run = try await command()
                last = run
                return run.status == status && run.errors.contains(words)
            }
            let run = try #require(last)
            #expect(run.errors.split(separator: "\n").count == 1, "\(run)")
            for words in [".cc", "OPENSSL", "checkouts", "Error:"] { #expect(!run.errors.contains(words), "\(run)") }
        }
    }
#endif
