import Foundation
import Logging
import StoredValuesSupport

/// Prints a value in every way that Swift has, to the standard output.
func disclose(_ value: Any) {
    print("\(value)", String(describing: value), String(reflecting: value))
    debugPrint(value)
    dump(value)
    var seen: Set<ObjectIdentifier> = []
    walk(Mirror(reflecting: value), depth: 0, &seen)
}

/// Prints what a mirror shows, and the mirrors of that.
private func walk(_ mirror: Mirror, depth: Int, _ seen: inout Set<ObjectIdentifier>) {
    guard depth < 12 else { return }
    for child in mirror.children {
        print(child.label ?? "", child.value, String(reflecting: child.value))
        if type(of: child.value) is AnyClass, !seen.insert(ObjectIdentifier(child.value as AnyObject)).inserted { continue }
        walk(Mirror(reflecting: child.value), depth: depth + 1, &seen)
    }
    if let parent = mirror.superclassMirror { walk(parent, depth: depth + 1, &seen) }
}

/// Prints all that is logged, of every level.
struct DisclosingLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        print(event.level, event.message, metadata, event.metadata ?? [:])
    }
}

/// A search of files for a text in every form in which it can get into them, by a program that shares no code with the library.
struct TraceSearch {
    /// Its own, for what is searched for is there for a while.
    private let folder = "\(ProcessFolder.path)/search-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    /// The files among `paths`, and in the folders among them, that have a trace of `text`: as it is, in hexadecimal, in Base64, and
    /// any of these in what is compressed (zlib, gzip, bzip2, xz).
    func files(in paths: [String], with text: String) async throws -> [String] {
        let python = try Program.orSkip("python3").path, program = "\(folder)/search.py"
        try Self.program.write(toFile: program, atomically: true, encoding: .utf8)
        let run = try await FinishedProgram.run([python, program] + paths, environment: [:], input: text, in: folder)
        guard run.status == 0 else { throw Failed(errors: run.errors) }
        return run.output.split(separator: "\n").map(String.init)
    }

    private struct Failed: Error { let errors: String }

    private static let program = #"""
        import base64, bz2, lzma, os, re, sys, zlib

        text = sys.stdin.buffer.read()
        forms = {text, text.hex().encode(), text.hex().upper().encode()}
        for shift in range(3):  # in the middle of other bytes
            whole = base64.b64encode(bytes(shift) + text)
            part = whole[0 if shift == 0 else shift + 1:-4]
            forms |= {part, part.replace(b"+", b"-").replace(b"/", b"_")}
        kinds = [
            (rb"\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda]", lambda: zlib.decompressobj(47)), (rb"BZh[1-9]1AY", bz2.BZ2Decompressor),
            (rb"\xfd7zXZ\x00", lzma.LZMADecompressor),
        ]

        def has_trace(data, depth=0):
            if any(form in data for form in forms): return True
            if depth == 3: return False
            for magic, decompressor in kinds:
                for start in re.finditer(magic, data):
                    try: found = decompressor().decompress(data[start.start():], 1 << 26)
                    except Exception: continue
                    if has_trace(found, depth + 1): return True
            return False

        def files(path):
            if not os.path.isdir(path): return [path]
            return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]

        count = 0
        for path in (file for argument in sys.argv[1:] for file in files(argument)):
            if not os.path.isfile(path): continue
            with open(path, "rb") as file: data = file.read()
            if data.strip(b"\0"): count += 1
            if has_trace(data) or text in path.encode(): print(path)
        sys.exit(0 if count else "nothing was searched")
        """#
}

/// Keeps every message that is logged in this process.
struct RecordingLogHandler: LogHandler {
    static let lines = Guarded<[String]>([])

    /// What was logged so far; from now on it counts anew.
    static func takeLines() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        Self.lines.withLock { $0.append("\(event.message)") }
    }
}
