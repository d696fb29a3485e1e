#if Fleet
    import FoundationEssentials
    package import StoredValues
    import StoredValuesSupport

    extension Fleet {
        /// The application's schema in the cluster; nil if there is none, or it is not valid.
        package func schema() async throws(FleetError) -> PublishedSchema? {
            let found = try await ask(.read(keys.schema), "read the schema", timeout: timeout).entries.first
            return schemas.learn(found).schema
        }

        /// Publishes a schema in the cluster, or removes it if it is nil. Returns whether there was one.
        @discardableResult
        package func publish(_ schema: PublishedSchema?) async throws(FleetError) -> Bool {
            do {
                return try await change([keys.schema], schema == nil ? "remove the schema" : "publish the schema") { found, _ in
                    ([(schema.map { Data($0.json.text(onOneLine: true)) }, FleetLogRecord.Change(key: "(the schema)", target: ""))], found[0] != nil)
                }
            } catch { throw .ofChange(error) }
        }

        /// Throws if the schema does not allow the new values. Returns the revision of the schema.
        func check(_ changes: [FleetLogRecord.Change], end: ContinuousClock.Instant) async throws(FleetError) -> Int {
            if let known = schemas.known, Self.misfit(changes, known.schema) == nil { return known.revision }
            // It was not read yet, or may have changed.
            let known = schemas.learn(try await ask(.read(keys.schema), "read the schema", timeout: end - .now).entries.first)
            guard let (key, misfit) = Self.misfit(changes, known.schema) else { return known.revision }
            throw FleetError(.notValid, "The schema in the cluster does not allow this value of \"\(key)\": \(misfit).")
        }

        private static func misfit(_ changes: [FleetLogRecord.Change], _ schema: PublishedSchema?) -> (key: String, misfit: String)? {
            changes.lazy.compactMap { change in change.to.flatMap { schema?.misfit($0, for: change.key) }.map { (change.key, $0) } }.first
        }
    }

    /// The schema that was last read. Each change has the condition that it is still the same, so only the first change must read it.
    final class FleetSchemas: Sendable {
        /// The revision is that of its last change; 0 if there is none.
        typealias Known = (revision: Int, schema: PublishedSchema?)

        private let state = Guarded<Known?>(nil)

        /// Nil before the first reading.
        var known: Known? { state.withLock { $0 } }

        @discardableResult
        func learn(_ found: EtcdKeyValue?) -> Known {
            let new: Known = (found?.revision ?? 0, found.flatMap { PublishedSchema(Array($0.value)) })
            state.withLock { $0 = new }
            return new
        }
    }
#endif
