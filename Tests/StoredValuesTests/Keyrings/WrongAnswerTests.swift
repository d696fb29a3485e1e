import Foundation
import StoredValues
import StoredValuesSecretService
import Testing

/// What a program does to us that owns the Secret Service's name and answers as it likes.
@Suite(
    "A Secret Service that answers wrongly", .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"),
    .enabled(if: Python.isAvailable, "\(Python.skipReason)"))
struct WrongAnswerTests {
    private let desktops = PrivateDesktops()
    private let processes = TestProcesses()
}

extension WrongAnswerTests {
    /// What the service holds and how it behaves where it is right.
    enum Situation: String, CaseIterable {
        case one, two, none, emptySecret = "empty-secret", locked, asking, plain, gnomeKeyring = "gnome-keyring"
        case openWallet = "open-wallet", prompting, promptingNone = "prompting-none", hiddenKeePassXC = "hidden-keepassxc"
    }

    private static let operations = ["read", "write", "remove", "list", "unlock", "inspect"]

    @Test(
        "Each answer of each wrong type is an error: it ends no process, and reads as nothing that it is not",
        arguments: Situation.allCases)
    func wrongTypes(_ situation: Situation) async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        var given = 0
        for operation in Self.operations {
            try await service.be(situation.rawValue)
            let right = try await service.use(operation)
            #expect(!right.hasPrefix("crashed"), "\(operation)")
            for method in try await service.words("asked") {
                for kind in try await service.words("answers \(method)") {
                    try await service.be(situation.rawValue, wrong: [method: kind])
                    let answer = try await service.use(operation)
                    guard try await service.tell("wrong") != "0" else { continue }
                    given += 1
                    let what = "\(operation), \(kind) to \(method)"
                    #expect(answer.hasPrefix("error: "), "\(what): \(answer)")
                }
            }
        }
        #expect(given > 0)
    }

    @Test("What comes after the deadline is too late, and the next call gets its own answer", arguments: Situation.allCases)
    func late(_ situation: Situation) async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        // What comes of a question to the person has a limit of its own.
        let methods = [
            "SearchItems", "OpenSession", "GetSecret", "SetSecret", "CreateItem", "Delete", "ReadAlias", "Get", "GetAll",
        ]
        for operation in ["read", "write", "remove", "list", "unlock"] {
            try await service.be(situation.rawValue)
            let right = try await service.use(operation)
            for method in try await service.words("asked") where methods.contains(method) {
                var deadline = 1
                var isHeld = false
                while !isHeld {  // on a busy machine the question may come after the deadline, too
                    try await service.be(situation.rawValue, wrong: [method: "hold"])
                    let answer = try await service.use(operation, deadline: deadline)
                    try #require(answer.contains("did not answer within \(deadline)"), "\(operation), \(method): \(answer)")
                    isHeld = try await service.tell("release") != "0"
                    deadline *= 2
                }
                try await service.be(situation.rawValue)
                #expect(try await service.use(operation) == right, "\(operation), \(method)")
            }
        }
    }

    @Test("What is answered twice counts once", arguments: Situation.allCases)
    func twice(_ situation: Situation) async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        for operation in Self.operations {
            try await service.be(situation.rawValue)
            let right = try await service.use(operation)
            let asked = try await service.words("asked")
            try await service.be(situation.rawValue, wrong: Dictionary(uniqueKeysWithValues: asked.map { ($0, "twice") }))
            #expect(try await service.use(operation) == right, "\(operation)")
        }
    }

    @Test("As many items as fit into an answer are only items")
    func many() async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        try await service.be("many")
        #expect(try await service.use("read") == "8 bytes")
        #expect(try await service.use("list") == "1 secrets")
    }

    @Test("KeePassXC is searched only while one of its collections is open: by default it would prompt")
    func searchWithoutPrompt() async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        let situations = [
            ("locked-keepassxc", false), ("locked-hidden-keepassxc", false), ("other-open-keepassxc", true), ("locked", true),
        ]
        for (situation, isSearched) in situations {
            for operation in ["read", "write", "remove", "list"] {
                try await service.be(situation)
                let answer = try await service.use(operation)
                #expect(answer.contains("locked"), "\(situation), \(operation): \(answer)")
                #expect(try await service.words("asked").contains("SearchItems") == isSearched, "\(situation), \(operation)")
            }
        }
    }

    @Test(
        "A program that gives its name up but lives on is not used any more; the next owner of the name is",
        arguments: ["retire", "release-name"])
    func lostName(_ command: String) async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        try await service.be("one")
        #expect(try await service.use("write") == "done")
        #expect(try await service.use("read") == "7 bytes")
        #expect(try await service.tell(command) == "gone")
        // The bus tells both of it, in no order.
        try await eventually("there is no service") { try await service.use("read") == "error: \(KeyringError.noSecretService)" }
        #expect(try await service.use("write") == "error: \(KeyringError.noSecretService)")
        try await service.be("two")
        #expect(try await service.use("read") == "8 bytes")
    }

    @Test("A service that says at once that its time is over is not asked again and again")
    func timingOut() async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        try await service.be("timing-out")
        #expect(try await service.use("read").hasPrefix("error: "))
        #expect(try await Int(service.tell("calls")).map { $0 < 100 } == true)
    }

    @Test(
        "A deletion that the user of KeePassXC does not confirm is refused, and the secret stays",
        arguments: ["declining", "silently-declining"])
    func declinedDeletion(_ situation: String) async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        try await service.be(situation)
        #expect(try await service.use("remove") == "error: \(KeyringError.accessDenied)")
        #expect(try await service.use("read") == "8 bytes")
        try await service.be("prompting")
        #expect(try await service.use("remove") == "done")
    }

    @Test("That a service refuses to encrypt is said once in the log, and by doctor", arguments: [Situation.plain, .one])
    func plain(_ situation: Situation) async throws {
        let desktop = try await desktops.start(.withoutService)
        let service = try WrongService(on: desktop, processes)
        try await service.be(situation.rawValue)
        for operation in ["read", "write", "read"] { _ = try await service.use(operation) }
        #expect(try await service.use("read") == "7 bytes")
        let lines = service.logs.filter { $0.contains("not encrypt secrets") }
        #expect(lines.count == (situation == .plain ? 1 : 0), "\(service.logs)")

        // What libsecret says of its session.
        let found = try await ItemStore(bus: .init(desktop.address), deadline: hangLimit).inspect()
        #expect(found.isPlain == (situation == .plain))
        try await withTool { tool in
            let tool = tool.with(["STORED_VALUES_KEYRING": nil, "DBUS_SESSION_BUS_ADDRESS": desktop.address])
            let run = try await tool.run("doctor")
            #expect(run.status == 0, "\(run)")
            #expect(run.output.words.contains("not encrypt secrets") == (situation == .plain), "\(run.output)")
        }
    }

    @Test("Wrong answers to who listens end no process, and are taken neither for a lock nor for its opening")
    func hearing() async throws {
        let desktop = try await desktops.start(.withoutService)
        let service = try WrongService(on: desktop, processes)
        try await service.be("one")
        let listener = try processes.start("hear-service", environment: service.environment)
        #expect(try await listener.line() == "anySecret")
        // Both are open, and it looks at each that comes; whether the wallet is open is asked of the second one only.
        for (situation, methods) in [(Situation.one, ["ReadAlias", "Get"]), (.openWallet, ["ReadAlias", "Get", "isOpen"])] {
            for method in methods {
                for kind in try await service.words("answers \(method)") {
                    try await service.be(situation.rawValue, wrong: [method: kind])
                    try await eventually("it has got \(kind) to \(method)") { try await service.tell("wrong") != "0" }
                }
            }
        }
        try await desktop.killBus()
        let last = "\(KeyringChange.unavailable(.noSessionBus))"
        var line = try await listener.line()
        while let heard = line, heard != last {
            #expect(heard == "anySecret" || heard.hasPrefix("unavailable"), "\(heard)")
            line = try await listener.line()
        }
        #expect(line == last)
    }

    @Test("Signals with wrong parameters, or not subscribed to, do no harm: later ones are handled")
    func signals() async throws {
        let service = try WrongService(on: try await desktops.start(.withoutService), processes)
        try await service.be("one")
        let listener = try processes.start("hear-service", environment: service.environment)
        #expect(try await listener.line() == "anySecret")
        #expect(try await service.use("read") == "8 bytes")
        #expect(Int(try await service.tell("emit")) ?? 0 > 50)
        #expect(try await service.use("read") == "8 bytes")
        #expect(try await service.tell("lock") == "locked")
        var line = try await listener.line()
        while line == "anySecret" { line = try await listener.line() }
        #expect(line == "locked")
        #expect(try await service.use("read").contains("locked"))
    }
}
