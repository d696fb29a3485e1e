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
            let name = getpwuid(geteuid()).flatMap { String(validatingCString: $0.pointee.pw_name) } ?? "uid \(geteuid())"
            return "\(name)@\(host)"
        }
    }
#endif
