#if Fleet
    import StoredValues
    import Testing

    @testable import StoredValuesFiles
    @testable import StoredValuesFleet

    @Suite("The files that an agent writes")
    struct MirrorFilesTests {
        @Test("The settings, the secrets and what was seen of them survive a power cut; the report, which is written all the time, need not")
        func durability() async throws {
            try await withTemporaryFolder { folder in
                let operations = FaultyFileOperations()
                let files = MirrorFiles(try #require(FleetFolder(folder)), applicationID: "demo", operations: operations)
                try await files.prepare()
                func synchronizations(_ body: () async throws -> Void) async throws -> [String] {
                    let before = operations.calls.count
                    try await body()
                    return operations.calls.dropFirst(before).filter { $0.hasPrefix("synchronize") }
                }
                let whole = ["synchronize", "synchronize folder"]
                let mirror = FleetMirror(origin: .init(cluster: "1", revision: 2), values: ["a": .init(json: 1, version: 0)])
                let seen = SecretsVerdict.Seen(epoch: 0, generation: 1)
                #expect(try await synchronizations { _ = try await files.write(mirror) } == whole)
                #expect(try await synchronizations { try await files.write(seen: seen) } == whole)
                #expect(try await synchronizations { try await files.write(secrets: [1], seen: seen) } == whole + whole)
                let report = FleetReport(state: .current(revision: 2), confirmed: .now)
                #expect(try await synchronizations { try await files.write(report) }.isEmpty)
            }
        }
    }
#endif
