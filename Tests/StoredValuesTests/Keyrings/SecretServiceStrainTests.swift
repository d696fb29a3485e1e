#if Libsecret
    import Foundation
    import Locking
    import StoredValues
    import Testing

    /// Many calls at once, and many one after the other, on one real daemon.
    @Suite(
        "The desktop's keyring under strain", .serialized, .timeLimit(.minutes(5)),
        .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"))
    struct SecretServiceStrainTests {
        private let desktops = PrivateDesktops()

        @Test("8 tasks in this process and 8 processes, 2,000 mixed operations: no error, no lost write")
        func together() async throws {
            let desktop = try await desktops.start()
            let address = desktop.address
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    group.addTask { try await Strain(address, "task \(number)").run(operations: 125) }
                    group.addTask { await otherProcess(address, number) }
                }
                try await group.waitForAll()
            }
            let keyring = desktop.keyring()
            #expect(try await keyring.identifiers(inService: "strain").count == 16 * Strain.accounts.count + 1)
            let shared = try #require(try await keyring.read(Strain.shared))
            #expect(shared.count == Strain.sharedSize)
        }

        private func otherProcess(_ address: String, _ number: Int) async {
            await #expect(processExitsWith: .success) { [address = address as String, number = number as Int] in
                try await Strain(address, "process \(number)").run(operations: 125)
            }
        }

        @Test("Over thousands of operations, listening and restarts of it nothing piles up: no descriptor, no thread, no memory")
        func leaks() async throws {
            let desktop = try await desktops.start()
            let address = desktop.address
            let rounds = ProcessInfo.processInfo.environment["CI"] == "true" ? 2_500 : 600
            await #expect(processExitsWith: .success) { [address = address as String, rounds = rounds as Int] in
                let keyring = SecretServiceKeyring(deadline: .seconds(30), busAddress: address)
                func work(_ rounds: Int) async throws {
                    let secret = Secret(count: 1024) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
                    for round in 0..<rounds {  // of four operations
                        let id = SecretIdentifier(service: "leaks", account: "\(round % 5)")
                        try await keyring.write(secret, for: id, label: "label")
                        #expect(try await keyring.read(id) == secret)
                        _ = try await keyring.identifiers(inService: "leaks")
                        if round % 5 == 4 { try await keyring.remove(id) } else { try await keyring.unlock() }
                        if round % 20 == 0 {  // a listener that comes and goes
                            let value = SecurelyStoredValue<[UInt8]>(key: "live", service: "leaks", keyring: keyring)
                            try await value.set([1, 2, 3])
                        }
                    }
                }
                try await work(200)  // until every pool and cache has its size
                let before = Footprint()
                try await work(rounds)
                // Less than each third listener would leave behind. Dispatch keeps a few threads of its own.
                let bound = rounds / 60
                try await eventually("descriptors and threads are as before, or nearly so") {
                    let now = Footprint()
                    return now.descriptors < before.descriptors + bound && now.threads < before.threads + bound
                }
                // A guess at what is noise: an object of GLib that stayed for every call would be more than this.
                let grown = Footprint().memory - before.memory
                #expect(grown < 4 << 20, "\(grown >> 10) KiB more after \(4 * rounds) operations")
            }
        }
    }

    /// What one party to the strain does, in a process of its own or not.
    private struct Strain {
        static let accounts = ["a", "b", "c"]
        static let shared = SecretIdentifier(service: "strain", account: "shared")
        static let sharedSize = 3000

        let keyring: SecretServiceKeyring
        let name: String

        init(_ address: String, _ name: String) {
            keyring = SecretServiceKeyring(deadline: .seconds(60), busAddress: address)
            self.name = name
        }

        /// Works on secrets of its own, whose state it knows, and on one that all write.
        func run(operations: Int) async throws {
            var known: [SecretIdentifier: Secret] = [:]
            let ids = Self.accounts.map { SecretIdentifier(service: "strain", account: "\(name) \($0)") }
            for operation in 0..<operations {
                let id = ids[operation % ids.count]
                switch operation % 8 {
                case 0, 3, 6:
                    let secret = Secret(Array(repeating: UInt8(operation), count: operation))
                    try await keyring.write(secret, for: id, label: name)
                    known[id] = secret
                case 1, 4:
                    #expect(try await keyring.read(id) == known[id], "\(name), operation \(operation)")
                case 2:
                    let secret = Secret(Array(repeating: UInt8(operation), count: Self.sharedSize))
                    try await keyring.write(secret, for: Self.shared, label: name)
                case 5:
                    let bytes = try #require(try await keyring.read(Self.shared)).withBytes { Array($0) }
                    #expect(bytes.count == Self.sharedSize && Set(bytes).count == 1, "two writes were mixed")
                default:
                    try await keyring.remove(id)
                    known[id] = nil
                }
            }
            for id in ids {
                let secret = Secret(name.utf8)
                if known[id] == nil { try await keyring.write(secret, for: id, label: name) }
                #expect(try await keyring.read(id) == known[id] ?? secret)
            }
        }
    }

    /// What this process holds.
    private struct Footprint {
        let descriptors: Int
        let threads: Int
        /// Bytes.
        let memory: Int

        init() {
            descriptors = Footprint.count("/proc/self/fd")
            threads = Footprint.count("/proc/self/task")
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")[1]
            memory = (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
        }

        private static func count(_ folder: String) -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
        }
    }
#endif
