import CStoredValues

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

// What the system knows of this process.

/// The value of an environment variable, or nil when it is not set. A program that has more rights than whoever started it
/// (setuid, setgid, file capabilities) sees none: it must not do with these what the environment says.
package func environmentVariable(_ name: String) throws(VariableNotUTF8) -> String? {
    guard let value = stored_values_getenv(name) else { return nil }
    guard let text = String(validatingCString: value) else { throw VariableNotUTF8(name: name) }
    return text
}

/// An environment variable that is no text. What it says cannot be followed; repaired, it would name another place.
package struct VariableNotUTF8: Error {
    package let name: String
}

/// The name of the program's file, without its folder.
package func executableName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let start = buffer.baseAddress else { return "unnamed" }
        let count = readlink("/proc/self/exe", start, buffer.count)
        guard count > 0 else { return "unnamed" }
        var name = buffer[..<count].map(UInt8.init(bitPattern:)).split(separator: UInt8(ascii: "/")).last ?? []
        // What the system adds when the file was replaced since the start (proc(5)).
        let mark = " (deleted)".utf8
        if name.reversed().starts(with: mark.reversed()) { name.removeLast(mark.count) }
        // Where it is no text its other bytes are spelled out, so that two such programs are not taken for one.
        return String(validating: name, as: UTF8.self)
            ?? name.map { $0 < 0x80 ? String(Unicode.Scalar($0)) : "%" + String($0, radix: 16, uppercase: true) }.joined()
    }
}
