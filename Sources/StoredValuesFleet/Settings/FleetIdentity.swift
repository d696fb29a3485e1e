#if Fleet
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Who and where this process is, as the system says.
    package enum FleetIdentity {
        /// The name of this machine.
        package static var host: String {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 257) { buffer in
                buffer.initialize(repeating: 0)
                guard let start = buffer.baseAddress, gethostname(start, 256) == 0 else { return "localhost" }
                return String(validatingCString: start) ?? "localhost"
            }
        }

        /// The user of this process at this machine, for the log.
        package static var user: String {
            // Not getpwuid(3), whose one buffer all threads share. 16 KiB is what sysconf(3) advises to begin with, and more.
            let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { buffer -> String? in
                var entry = passwd()
                var found: UnsafeMutablePointer<passwd>?
                guard let start = buffer.baseAddress,
                    getpwuid_r(geteuid(), &entry, start, buffer.count, &found) == 0, let name = found?.pointee.pw_name else {
                    return nil
                }
                return String(validatingCString: name)
            }
            return "\(name ?? "uid \(geteuid())")@\(host)"
        }
    }
#endif
