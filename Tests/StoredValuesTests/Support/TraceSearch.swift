import Foundation

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
