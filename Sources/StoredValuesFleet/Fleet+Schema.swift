#if Fleet
    import FoundationEssentials
    package import StoredValues
    import StoredValuesSupport

    extension Fleet {
        /// The application's schema in the cluster; nil if there is none, or what lies there is none.
        package func schema() async throws(FleetError) -> PublishedSchema? {
            let found = try await ask(.read(keys.schema), "read the schema", timeout: timeout).entries.first
            return schemas.learn(found).schema
        }

        /// Puts a schema beside the settings, or removes it. Returns whether there was one.
        @discardableResult
        package func publish(_ schema: PublishedSchema?) async throws(FleetError) -> Bool {
            do {
                return try await change([keys.schema], schema == nil ? "remove the schema" : "publish the schema") { found, _ in
                    ([(schema.map { Data($0.json.text(onOneLine: true)) }, FleetLogRecord.Change(key: "(the schema)", target: ""))], found[0] != nil)
                }
            } catch { throw .ofChange(error) }
        }

        /// Throws if the schema does not allow what would be set. Returns the revision of the schema.
        func check(_ changes: [FleetLogRecord.Change], end: ContinuousClock.Instant) async throws(FleetError) -> Int {
            if let known = schemas.known, Self.misfit(changes, known.schema) == nil { return known.revision }
            // Nobody has asked yet, or it may be another one since.
            let known = schemas.learn(try await ask(.read(keys.schema), "read the schema", timeout: end - .now).entries.first)
            guard let (key, misfit) = Self.misfit(changes, known.schema) else { return known.revision }
            throw FleetError(.notValid, "The schema in the cluster does not allow this value of \"\(key)\": \(misfit).")
        }

        private static func misfit(_ changes: [FleetLogRecord.Change], _ schema: PublishedSchema?) -> (key: String, misfit: String)? {
            changes.lazy.compactMap { change in change.to.flatMap { schema?.misfit($0, for: change.key) }.map { (change.key, $0) } }.first
        }
    }

    /// The schema that was last heard of. A change has the condition that it still counts, so that only the first one asks for it.
    final class FleetSchemas: Sendable {
        /// With the revision of its last change; 0 if there is none.
        typealias Known = (revision: Int, schema: PublishedSchema?)

        private let state = Guarded<Known?>(nil)

        /// Nil while nobody has asked.
        var known: Known? { state.withLock { $0 } }

        @discardableResult
        func learn(_ found: EtcdKeyValue?) -> Known {
            let new: Known = (found?.revision ?? 0, found.flatMap { PublishedSchema(Array($0.value)) })
            state.withLock { $0 = new }
            return new
        }
    }
#endif
