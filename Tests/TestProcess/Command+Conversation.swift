import Glibc
import StoredValues
import StoredValuesSupport

extension Command {
    /// Waits in each of the ways that have a limit.
    static let wait = Command("wait") { _ in
        guard await pause(for: .milliseconds(1)) else { return }
        say("paused")
        let end = monotonicNanoseconds() + 1_000_000
        guard !MonotonicSemaphore().wait(until: end), monotonicNanoseconds() >= end else { return }
        say("waited")
    }

    /// Does what each line of the standard input says, and answers each with one line, which may be the error's. The path "standard" stands
    /// for the application's own file.
    static let conversation = Command("talk", "path") { arguments in
        let storage = arguments[0] == "standard" ? PreferencesFile.standard : PreferencesFile(path: arguments[0])
        // Opened and kept, as a program does that declares its values once.
        _ = storage.keys
        while true {
            let words = hear().split(separator: " ", maxSplits: 1).map(String.init)
            do {
                say(try await answer(words[0], words.count > 1 ? words[1] : "", storage))
            } catch {
                say("\(error)")
            }
        }
    }

    private static func answer(_ verb: String, _ rest: String, _ storage: PreferencesFile) async throws -> String {
        let words = rest.split(separator: " ").map(String.init)
        func value(_ key: String) -> StoredValue<Int> { StoredValue(key: key, default: 0, storage: storage) }
        switch verb {
        case "set":
            value(words[0]).set(try number(words[1]))
            return "ok"
        case "set-durably":
            try await value(words[0]).set(durably: try number(words[1]))
            return "ok"
        case "increase":
            value(words[0]).update { $0 += 1 }
            return "ok"
        case "get":
            return "\(value(words[0]).wrappedValue)"
        case "source":
            return "\(value(words[0]).source)"
        case "fleet":
            return Command.words(storage.fleetStatus)
        case "keys":
            return storage.keys.joined(separator: " ")
        case "flush":
            try await storage.flush()
            return "flushed"
        case "become":
            return try become(number(words[0]))
        case "limit-file-size":
            signal(SIGXFSZ, SIG_IGN)
            return setLimit(of: RLIMIT_FSIZE, to: UInt(words[0])) == nil ? "refused" : "ok"
        case "limit-descriptors":
            return setLimit(of: RLIMIT_NOFILE, to: UInt(words[0])) == nil ? "refused" : "ok"
        case "write-secret":
            let id = SecretIdentifier(service: "talk", account: "secret")
            try await EncryptedFileKeyring(path: words[0], key: .file(words[1])).write(Secret("it".utf8), for: id, label: "")
            return "ok"
        case "shell":
            return run(rest)
        default:
            throw BadArgument(text: verb)
        }
    }

    /// Becomes another user for good.
    private static func become(_ user: Int) -> String {
        setgroups(0, nil) == 0 && setgid(gid_t(user)) == 0 && setuid(uid_t(user)) == 0 ? "ok" : "refused"
    }

    /// Runs a shell command where this process is, and answers with its status and its output in one line.
    private static func run(_ command: String) -> String {
        guard let stream = popen("{ \(command)\n} 2>&1", "r") else { return "refused" }
        var bytes: [UInt8] = []
        while case let byte = fgetc(stream), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        let status = pclose(stream)
        let output = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: " ")
        return "\(status >> 8)" + (output.isEmpty ? "" : " " + output)
    }
}
