import Dispatch
import Glibc
import StoredValues

extension Command {
    /// What works on the desktop's keyring that the environment names.
    static let secretService = [
        // Sets the secret <account> of the service "processes" to <text>.
        Command("set-secret", "account", "text") { arguments in
            try await keyring.write(Secret(arguments[1].utf8), for: id(arguments[0]), label: arguments[0])
        },
        // Prints the secret <account>, or "absent".
        Command("get-secret", "account") { arguments in
            let secret = try await keyring.read(id(arguments[0]))
            say(secret.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } ?? "absent")
        },
        Command("remove-secret", "account") { arguments in try await keyring.remove(id(arguments[0])) },
        // Is as many parties to a strain as there are to be tasks, and prints "done" when none met with an error.
        Command("strain", "name", "tasks", "operations") { arguments in
            let (tasks, operations) = try (number(arguments[1]), number(arguments[2]))
            try await withThrowingTaskGroup { group in
                for task in 0..<tasks {
                    let party = StrainedParty(name: "\(arguments[0]) \(task)", keyring: keyring)
                    group.addTask { try await party.work(operations: operations) }
                }
                try await group.waitForAll()
            }
            say("done")
        },
        // With at most <limit> files open, stores a setting in <path>, reads its own secret and listens to it; prints how each ended. Then,
        // with as many as before, whether both work.
        Command("scarce", "limit", "path") { arguments in
            let setting = StoredValue(key: "number", default: 0, storage: PreferencesFile(path: arguments[1]))
            let secret = SecurelyStoredValue<String>(key: "scarce \(getpid())", service: "processes", keyring: keyring)
            // Dispatch, on which Swift runs tasks, opens files for its own timer with the first task, and traps without them.
            await withCheckedContinuation { started in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { started.resume() }
            }
            let scarce = try UInt(number(arguments[0]))
            guard let usual = setLimit(of: RLIMIT_NOFILE, to: scarce) else { throw Unexpected(what: "the limit cannot be set") }
            printBacktraces(with: usual)
            setting.set(1)
            do { try await setting.flush() } catch { say("setting: \(error)") }
            do { _ = try await secret.load() } catch { say("secret: \(error)") }
            var values = secret.values.makeAsyncIterator()
            do { try await keyring.unlock() } catch { say("unlock: \(error)") }
            guard setLimit(of: RLIMIT_NOFILE, to: usual) != nil else { throw Unexpected(what: "the limit cannot be set back") }
            try await setting.flush()
            try await secret.set("heard")
            while let value = await values.next(), value != "heard" {}
            say("done")
        },
        // Uses the keyring in every way, as often as each line of the standard input says, and prints what it holds then.
        Command("use-secrets") { _ in
            while true {
                for round in 0..<(try number(hear())) { try await useOnce(round) }
                say(Footprint.now.description)
            }
        },
    ]

    // The machine may be busy, and others use the keyring too.
    private static let keyring = SecretServiceKeyring(deadline: .seconds(600))

    private static func id(_ account: String) -> SecretIdentifier {
        SecretIdentifier(service: "processes", account: account)
    }

    /// Four operations, and at times a live secret that comes and goes.
    private static func useOnce(_ round: Int) async throws {
        let id = id("\(round % 5)"), secret = Secret(Array(repeating: 7, count: 1024))
        try await keyring.write(secret, for: id, label: "label")
        guard try await keyring.read(id) == secret else { throw Unexpected(what: "another secret than the one written") }
        _ = try await keyring.identifiers(inService: id.service)
        if round % 5 == 4 { try await keyring.remove(id) } else { try await keyring.unlock() }
        guard round % 5 == 0 else { return }
        let live = SecurelyStoredValue<[UInt8]>(key: "live", service: id.service, keyring: keyring)
        if round % 20 == 0 {
            try await live.set([1, 2, 3])
        } else {
            // Listening ends again in the middle of its beginning.
            let values = live.values.makeAsyncIterator()
            for _ in 0..<Int.random(in: 0..<5_000) { await Task.yield() }
            withExtendedLifetime(values) {}
        }
    }
}

// The limit before it was lowered, and the runtime's handlers, for the one below.
// All are sound, because they are written once, before that is set, which alone uses them then.
nonisolated(unsafe) private var filesOfBacktraces: UInt = 0
nonisolated(unsafe) private var formerActions: [Int32: sigaction] = [:]

/// Raises the limit again when the process traps, so that the runtime can open what it needs to print where.
private func printBacktraces(with files: UInt) {
    filesOfBacktraces = files
    for signal in [SIGILL, SIGTRAP] {
        var former = sigaction()
        sigaction(signal, nil, &former)
        formerActions[signal] = former
    }
    var action = sigaction()
    // When it returns the instruction traps again, and the runtime's handler is called.
    action.__sigaction_handler.sa_handler = { signal in
        _ = setLimit(of: RLIMIT_NOFILE, to: filesOfBacktraces)
        if var former = formerActions[signal] { sigaction(signal, &former, nil) }
    }
    for signal in [SIGILL, SIGTRAP] { sigaction(signal, &action, nil) }
}

/// What a keyring must not do.
struct Unexpected: Error {
    let what: String
}
