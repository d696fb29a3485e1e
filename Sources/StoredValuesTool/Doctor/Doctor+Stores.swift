#if Store
    import FoundationEssentials
    import StoredValues
    import StoredValuesFiles
    import StoredValuesStore
    import StoredValuesSupport
    import StoredValuesToolSupport

    extension Doctor {
        /// Checks the files of stores that the application has, if any.
        mutating func checkStores() {
            section = "Items"
            guard let standard = try? StoreFile.standard.path else { return }  // where there is no folder, no program has any
            let folder = ResolvedPath.folder(of: standard)
            for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
                guard let stem = name.before(suffix: ".sqlite"), let file = try? StoreFile(checkingName: stem) else { continue }
                do throws(StoreError) {
                    // A program may have databases of its own.
                    if try file.inspect()?.isForeign == true, !ResolvedPath.name(of: standard).isIdentical(to: name) { continue }
                    try check(file, .quick, mayRestore: false)
                } catch {
                    add(.problem, error.description)
                }
            }
        }

        /// Checks a file of stores; false if there is none. Throws if it cannot be read.
        ///
        /// - Parameter mayRestore: Whether an interrupted change may be rolled back, which writes to the file.
        @discardableResult
        mutating func check(_ file: StoreFile, _ check: StoreFile.Check, mayRestore: Bool) throws(StoreError) -> Bool {
            section = "Items"
            guard let found = try file.inspect() else { return false }
            let path = found.path
            if found.hasWriteAheadLog, !mayRestore {
                add(
                    .note,
                    "\(path) has a write-ahead log, which another program has turned on. Programs turn it off when nobody else has the file open. What is in it was not checked; that does: stored-values store check\(SettingsOptions.option("file", path, "path"))"
                )
                return true
            }
            do throws(StoreError) {
                guard let contents = try file.contents(check, mayRestore: mayRestore) else { return false }
                describe(contents, check, path, mode: found.mode)
                if mayRestore, found.hasHotJournal { add(.note, "A change of \(path) had been interrupted, or was being made. An interrupted one was taken back.") }
            } catch .readOnly where found.hasHotJournal && !mayRestore {
                add(
                    .note,
                    "A change of \(path) was interrupted. The next program that opens it takes that back, by \(path)-journal: do not delete that, nor copy one without the other."
                )
            } catch .damaged(_, let reason) { addDamage(path, [reason]) }
            checkMode(found.mode, of: path)
            for place in [path, ResolvedPath.folder(of: path)] where !System.mayWrite(place) {
                add(.problem, "Items cannot be changed: you have no permission to write \(place == path ? "" : "in ")\(place). Check its owner and mode: ls -ld \(place)")
            }
            return true
        }

        private mutating func describe(_ contents: StoreFileContents, _ check: StoreFile.Check, _ path: String, mode: UInt32) {
            guard contents.hasTables else { return add(.note, "\(path) is empty: no item is in it.") }
            let stores = contents.stores
            var faults = contents.faults
            if case .damaged(_, let reason)? = contents.damage { faults.append(reason) }
            if faults.isEmpty {
                let items = stores.reduce(0) { $0 + $1.items.count }.counted("item")
                add(.fine, "\(path) holds \(items) in \(stores.count.counted("store")) and has mode \(mode.modeText). What sqlite3 changes in it is seen by running programs, too.")
                add(.fine, "SQLite finds it whole (\(check.rawValue)). Its application id is that of stores, its tables have version \(StoreFile.versionOfTables).")
            } else {
                addDamage(path, faults)
            }
            for store in stores {
                let versions = Set(store.items.map(\.version)).sorted().map { "\($0)" }.joined(separator: ", ")
                add(.fine, "\"\(store.name)\" has \(store.items.count.counted("item"))\(["", "0"].contains(versions) ? "" : ", of version \(versions)").")
                if let problem = store.sentenceOfUnreadable { add(.problem, problem) }
            }
        }

        private mutating func addDamage(_ path: String, _ faults: [String]) {
            let limit = 5
            let more = faults.count > limit ? "; and \(faults.count - limit) more" : ""
            // SQLite's words for an index that does not fit (sqlite.org/pragma.html#pragma_integrity_check).
            let isOfIndexes = faults.allSatisfy { $0.utf8.contains(" missing from index ".utf8) || $0.utf8.contains(" entries in index ".utf8) }
            let file = SettingsOptions.option("file", path, "path")
            let advice =
                isOfIndexes
                ? "Only indexes are: end the programs that use it, then: sqlite3 \(path.isPlainWord ? path : "<path>") REINDEX"
                : """
                End the programs that use it, keep a copy, and get out what can be read: stored-values store export\(file) -o items.jsonl; \
                then move it away, and: stored-values store import\(file) items.jsonl
                """
            add(.problem, "\(path) is damaged, or no database: \(faults.prefix(limit).joined(separator: "; "))\(more). \(advice)")
        }
    }
#endif
