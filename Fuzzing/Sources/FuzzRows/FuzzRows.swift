/// libFuzzer calls this for each input, and watches which parts of the library it reaches.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzRows(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try StoreRowRules.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
