#if Fleet
    import StoredValuesSupport
    import StoredValuesToolSupport

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The signals by which a service manager or a user ends the agent.
    ///
    /// Not a Dispatch source: that is a signalfd, and a thread that does not block the signal, such as SwiftNIO's, gets it instead,
    /// which ends the process (seen with Swift 6.3; signalfd(2)). A handler runs on whichever thread gets it.
    enum EndSignals {
        private static let signals = [SIGTERM, SIGINT, SIGHUP]

        /// From now on, these signals answer the returned question instead of ending the process, and nobody ends it by closing the
        /// pipe that it writes to. Call it once.
        static func arrive() throws(Failure) -> OneShot<Void> {
            let arrived = OneShot<Void>()
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Failure(.notSaved, "Could not prepare for signals: \(System.problem).") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            signalPipe = ends[1]
            let reader = ends[0]
            do {
                try startThread(named: "end-signals") {
                    var byte: UInt8 = 0
                    while read(reader, &byte, 1) == -1, errno == EINTR {}
                    for number in signals { signal(number, SIG_DFL) }  // a second one ends the process at once
                    arrived.answer(())
                }
            } catch {
                throw Failure(.notSaved, "Could not prepare for signals: no thread can be started (error \(error.rawValue)).")
            }
            signal(SIGPIPE, SIG_IGN)
            for number in signals {
                // nohup(1) has it ignored, and that is how it stays. Handlers can only be compared by their addresses.
                let isIgnored = number == SIGHUP && unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
                guard !isIgnored else { continue }
                signal(number) { _ in
                    let code = errno
                    _ = write(signalPipe, "!", 1)
                    errno = code
                }
            }
            return arrived
        }
    }

    // Sound: written once, before the handlers that read it are there. A handler may not take a lock.
    nonisolated(unsafe) private var signalPipe: Int32 = -1
#endif
