#if PLANTED_BUG
    @testable import StoredValues

    /// A reader that loses a member of files with an escape such as \u00e9. To find that, the fuzzer must get through the
    /// scanner byte by byte, which it does only if it sees what each byte reaches.
    let rulesUnderTest = ReaderRules(readDocument: { bytes in
        let document = try PreferencesDocument(parsing: bytes)
        guard zip(bytes, bytes.dropFirst()).contains(where: { $0 == (UInt8(ascii: "\\"), UInt8(ascii: "u")) }),
            let key = document.keys.first
        else { return document }
        return document.applying([PreferencesKey(key): nil])
    })
#endif
