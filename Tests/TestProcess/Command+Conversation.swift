import Glibc
import StoredValues

extension Command {
    /// Does what each line of the standard input says, and answers each with one line. The path "standard" stands for the
    /// application's own file.
    static let conversation = Command("talk", "path") { arguments in
        let storage = arguments[0] == "standard" ? PreferencesFile.standard : PreferencesFile(path: arguments[0])
        // Opened and kept, as a program does that declares its values once.
        _ = storage.keys
        while true {
            let words = hear().split(separator: " ", maxSplits: 1).map(String.init)
            say(try await answer(words[0], words.count > 1 ? words[1] : "", storage))
        }
    }

    private static func answer(_ verb: String, _ rest: String, _ storage: PreferencesFile) async throws -> String {
        let words = rest.split(separator: " ").map(String.init)
        func value(_ key: String) -> StoredValue<Int> { StoredValue(key: key, default: 0, storage: storage) }
        switch verb {
        case "set":
            value(words[0]).set(try number(words[1]))
            return "ok"
        case "increase":
            value(words[0]).update { $0 += 1 }
            return "ok"
        case "get":
            return "\(value(words[0]).wrappedValue)"
        case "keys":
            return storage.keys.joined(separator: " ")
        case "flush":
            do {
                try await storage.flush()
                return "flushed"
            } catch {
                return "\(error)"
            }
        case "become":
            return try become(number(words[0]))
        case "limit-file-size":
            return limitFileSize(Int(words[0]))
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

    /// Lets no file of this process grow beyond so many bytes; nil for no limit. Writing more fails with EFBIG.
    private static func limitFileSize(_ bytes: Int?) -> String {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return "refused" }
        limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
        return setrlimit(resource, &limit) == 0 ? "ok" : "refused"
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
