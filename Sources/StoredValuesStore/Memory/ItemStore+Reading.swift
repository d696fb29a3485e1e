#if Store
    import Logging
    import StoredValues
    import StoredValuesSupport

    extension ItemStore: ItemReader {
        var itemType: any Any.Type { Item.self }
        var isCurrent: Bool { state.withLock { $0.isCurrent && $0.status == .loaded } }

        func read(_ rows: ItemRows?, _ later: inout AfterUnlocking) throws {
            let (known, status) = state.withLock { ($0.isCurrent ? $0.revision : nil, $0.status) }
            let last = try rows?.lastRevision() ?? 0
            // A revision goes back where a backup was copied into the file: then all is read.
            let isCurrent = known.map { $0 <= last } ?? false, revision = isCurrent ? known ?? 0 : 0
            if isCurrent, last == revision, status == .loaded { return }
            var changed = try rows?.changed(after: revision) ?? []
            if !isCurrent { changed.removeAll(where: isKnown) }
            if revision == 0 { changed.sort { $0.number < $1.number } }
            let removed = isCurrent ? try rows?.removed(after: revision, last: last) : nil
            let changes = try removed.map { changesInOrder(changed, $0) } ?? changesWithoutHistory(changed, rows)
            apply(changes, revision: last, isExternal: true, &later)
        }

        /// Whether memory has what the row says: if a file is read again, only differences become events.
        private func isKnown(_ row: ItemRow) -> Bool {
            let (item, number, lost) = state.withLock { ($0.list[row.id], $0.list.number(of: row.id), $0.list.unreadable(row.id)) }
            if let lost, lost.number == row.number, lost.version == row.version { return (try? coder.item(from: row.json, version: row.version)) == nil }
            guard let item, number == row.number, let text = try? ItemCoder<Item>.text(item) else { return false }
            if row.version == coder.version, row.json == text { return true }
            // Edited by hand, repaired or of an older version, it may be the same item in another text.
            guard let other = try? coder.item(from: row.json, version: row.version).item else { return false }
            return (try? ItemCoder<Item>.text(other)) == text
        }

        /// The changes of other processes in their order, as far as the file still shows them.
        private func changesInOrder(_ changed: [ItemRow], _ removed: [(id: [UInt8], revision: Int64)]) -> [ItemChange<Item>] {
            var changes: [ItemChange<Item>] = []
            var (changed, removed) = (changed[...], removed[...])
            while !changed.isEmpty || !removed.isEmpty {
                let gone = removed.prefix { removal in changed.first.map { removal.revision <= $0.revision } ?? true }
                removed = removed.dropFirst(gone.count)
                if !gone.isEmpty { changes.append(.remove(gone.map(\.id))) }
                let put = changed.prefix { row in removed.first.map { row.revision < $0.revision } ?? true }
                changed = changed.dropFirst(put.count)
                changes += decode(put)
            }
            return changes
        }

        /// The same if the file does not show what was removed when.
        private func changesWithoutHistory(_ changed: [ItemRow], _ rows: ItemRows?) throws -> [ItemChange<Item>] {
            let known = state.withLock { Set($0.list.ids) }
            let gone = known.isEmpty ? [] : known.subtracting(try rows?.ids() ?? [])
            return (gone.isEmpty ? [] : [.remove(Array(gone))]) + decode(changed[...])
        }

        private func decode(_ rows: ArraySlice<ItemRow>) -> [ItemChange<Item>] {
            var put: [(item: Item, id: [UInt8], number: Int64)] = []
            put.reserveCapacity(rows.count)
            var lost: [UnreadableRow] = []
            for row in rows {
                do {
                    let (item, repairs) = try coder.item(from: row.json, version: row.version)
                    guard try id(item) == row.id else { throw Explanation("the id in its JSON is another one") }
                    put.append((item, row.id, row.number))
                    for repair in repairs { warn(row, "\(repair)") }
                } catch {
                    var reason = "\(error)"
                    if coder.template == nil, reason.hasPrefix("there is no member"), hasID(row) { reason += "; give the store a template: Store(\"\(name)\", template:)" }
                    lost.append(UnreadableRow(number: row.number, idBytes: row.id, version: row.version, reason: reason))
                    warn(row, "It is left out, and stays in the file: \(reason).")
                }
            }
            return (lost.isEmpty ? [] : [.lose(lost)]) + (put.isEmpty ? [] : [.put(put)])
        }

        /// Whether a member has the row's id, which a template could not provide.
        private func hasID(_ row: ItemRow) -> Bool {
            let members = (try? JSONValue(parsing: row.json))?.objectValue ?? [:]
            return members.values.contains { Array($0.text(onOneLine: true).utf8) == row.id }
        }

        private func warn(_ row: ItemRow, _ problem: String) {
            Logger(label: "StoredValues").warning("The item \(row.id.text) of \"\(name)\" in \"\(database.path)\": \(problem)")
        }

        func expectAnotherFile() { state.withLock { $0.isCurrent = false } }

        func fail(_ error: StoreError, _ later: inout AfterUnlocking) {
            state.withLock { state in
                guard state.status != .unavailable(error) else { return }
                state.status = .unavailable(error)
                tellChange(&state, &later)
                later.notify { Logger(label: "StoredValues").error("\(error)") }
            }
        }
    }
#endif
