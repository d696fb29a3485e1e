import Glibc

@testable import StoredValues

/// `Fuzzing/run --self-test` plants a bug, to see that it is found.
private let rules = getenv("FUZZING_PLANTED_BUG") == nil ? ReaderRules() : ReaderRules(readDocument: readWithPlantedBug)

/// A reader that loses a member of files with an escape such as \u00e9. To find that, the fuzzer must get through the scanner byte by byte,
/// which it does only if it sees what each byte reaches.
@Sendable private func readWithPlantedBug(_ bytes: [UInt8]) throws -> PreferencesDocument {
    let document = try PreferencesDocument(parsing: bytes)
    guard zip(bytes, bytes.dropFirst()).contains(where: { $0 == (UInt8(ascii: "\\"), UInt8(ascii: "u")) }), let key = document.keys.first
    else { return document }
    return document.applying([PreferencesKey(key): nil])
}

/// libFuzzer calls this for each input, and watches which parts of the library it reaches.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzPreferences(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try rules.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
