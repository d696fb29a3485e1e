#if Fleet
    import Dispatch
    import StoredValuesSupport

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The signals by which a service manager or a user ends the agent.
    final class EndSignals: Sendable {
        private let arrived = OneShot<Void>()
        private let sources: [any DispatchSourceSignal]

        init() {
            sources = [SIGTERM, SIGINT].map { number in
                signal(number, SIG_IGN)  // else it would end the process before the source hears of it
                return DispatchSource.makeSignalSource(signal: number, queue: .global())
            }
            for source in sources {
                source.setEventHandler { [arrived] in arrived.answer(()) }
                source.activate()
            }
        }

        /// Waits for the first of them, or until the task is cancelled. Call it once.
        func wait() async { await arrived.wait(cancelled: ()) }
    }
#endif
