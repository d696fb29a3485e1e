#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

// What the system knows of this process.

/// The value of an environment variable, or nil when it is not set.
func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// The name of the program's file, without its folder.
func executableName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let start = buffer.baseAddress else { return "unnamed" }
        let count = readlink("/proc/self/exe", start, buffer.count)
        guard count > 0 else { return "unnamed" }
        let path = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        let name = path.split(separator: "/").last.map(String.init) ?? "unnamed"
        // What the system adds when the file was replaced since the start (proc(5)).
        let mark = " (deleted)"
        return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
    }
}

/// A number that tells the running threads apart.
func currentThreadNumber() -> UInt {
    UInt(pthread_self())
}
