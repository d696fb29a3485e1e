#if Fleet
    import FoundationEssentials
    import StoredValues
    import StoredValuesSupport

    // What a cluster knows of its past.
    extension EtcdGateway {
        /// Whether the cluster had settings at that revision or, where that was compacted, at the oldest one that is left; false if it does not say.
        func hadSettings(_ keys: FleetKeys, since revision: Int) async throws -> Bool {
            if let had = try await hadSettings(keys, at: revision) { return had }
            guard let oldest = try await oldestRevision(of: keys.mark, after: revision) else { return false }
            return try await hadSettings(keys, at: oldest) ?? false
        }

        /// The same at that revision alone; nil if it was compacted, and nobody knows any more.
        private func hadSettings(_ keys: FleetKeys, at revision: Int) async throws(EtcdError) -> Bool? {
            let question = keys.allSettings(["count_only": true, "revision": .string("\(revision)")])
            do throws(EtcdError) { return try await ask(question, timeout: .seconds(5)).count > 0 } catch {
                guard error.isRefusal else { throw error }
                return nil
            }
        }

        /// The oldest revision of which the cluster still knows what there was, if that is later than `revision`. It says so to a watch that is to
        /// begin before it, and nowhere else. Nil if it does not say so in time.
        private func oldestRevision(of key: Data, after revision: Int) async throws -> Int? {
            struct Oldest: Error { let revision: Int }
            do {
                try await untilOneEnds(
                    {
                        try await self.watch(key, from: revision) { answer in
                            if answer.compacted > revision { throw Oldest(revision: answer.compacted) }
                        }
                    }, { _ = await pause(for: .seconds(5)) })
            } catch let oldest as Oldest { return oldest.revision }
            return nil
        }
    }
#endif
