#if Fleet
    import StoredValuesSupport
    import Testing

    @testable import StoredValues
    @testable import StoredValuesFiles
    @testable import StoredValuesFleet

    @Suite("Fleet: what is the same, and what is said", .hangLimit)
    struct FleetIdentityTests {}

    extension FleetIdentityTests {
        @Test("Two FleetSecrets are one with the same key at the same members, in whatever order; another key makes another")
        func identity() throws {
            let members = ["http://127.0.0.1:1", "http://127.0.0.1:2"]
            func secrets(_ endpoints: [String], _ key: EncryptedFileKey) throws -> KeyringIdentity {
                KeyringIdentity(try Fleet(endpoints: endpoints, applicationID: "com.example.Server").secrets(key: key))
            }
            let one = try secrets(members, .file("/a"))
            #expect(try secrets(members.reversed(), .file("/a")) == one)
            #expect(try secrets(members, .file("/b")) != one)
            #expect(try secrets(["http://127.0.0.1:1"], .file("/a")) != one)
            let phrase = EncryptedFileKey.passphrase { Secret([1]) }
            #expect(try secrets(members, phrase) != secrets(members, phrase))
        }

        @Test("What an agent says of a file that fails has one full stop")
        func fullStop() {
            let error = FileError(.replace, "/a", SystemErrorCode.noSpace)
            #expect(error.description.hasSuffix("the file is unchanged."))
            #expect(AgentProblem(error).why.hasSuffix("the file is unchanged"))
        }
    }
#endif
