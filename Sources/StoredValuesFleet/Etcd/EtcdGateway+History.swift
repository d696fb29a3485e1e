#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    // Questions about a cluster's history.
    extension EtcdGateway {
        /// Whether the cluster had settings at that revision or, if that was compacted, at the oldest one that is left; false if that is not known.
        func hadSettings(_ keys: FleetKeys, since revision: Int) async throws -> Bool {
            if let had = try await hadSettings(keys, at: revision) { return had }
            guard let oldest = try await oldestRevision(of: keys.mark, after: revision) else { return false }
            return try await hadSettings(keys, at: oldest) ?? false
        }

        /// The same at exactly that revision; nil if it was compacted.
        private func hadSettings(_ keys: FleetKeys, at revision: Int) async throws(EtcdError) -> Bool? {
            let question = keys.allSettings(["count_only": true, "revision": .string("\(revision)")])
            do throws(EtcdError) { return try await ask(question, timeout: .seconds(5)).count > 0 } catch {
                guard error.isRefusal else { throw error }
                return nil
            }
        }

        /// The oldest revision that was not compacted, if it is later than `revision`; nil if that is not known in time. etcd names it only to a
        /// watch that is to begin before it.
        private func oldestRevision(of key: Data, after revision: Int) async throws -> Int? {
            let oldest = Guarded<Int?>(nil), isTold = OneShot<Bool>()
            try await untilOneEnds(
                {
                    try await self.watch(key, from: revision) { answer in
                        guard answer.compacted > revision else { return }
                        oldest.withLock { $0 = answer.compacted }
                        isTold.answer(true)
                    }
                },
                { _ = await isTold.wait(cancelled: false) }, { _ = await pause(for: .seconds(5)) })
            return oldest.withLock { $0 }
        }
    }
#endif
