/// libFuzzer calls this for each input, and watches which parts of the library it reaches.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzEncryptedFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try EncryptedFileRules.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
