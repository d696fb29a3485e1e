#if Store
    import StoredValues
    import StoredValuesStore
    import StoredValuesSupport
    import StoredValuesToolSupport

    /// One store of a file, as the tool shows it.
    struct StoreContents {
        let name: String
        /// What is JSON, as it is stored, but on one line each.
        fileprivate(set) var items: [(id: String, version: Int, json: String)] = []
        /// The ids of the rows that are not JSON, or whose ids are not.
        fileprivate(set) var unreadable: [String] = []
    }

    extension StoreFileContents {
        /// The stores that have rows, by name.
        var stores: [StoreContents] {
            var stores: [[UInt8]: StoreContents] = [:]  // names that are equal as strings may differ in their bytes
            for row in rows {
                let id = row.id.jsonLine, json = row.json.jsonLine
                let key = Array(row.store.utf8)
                if let id, let json {
                    stores[key, default: StoreContents(name: row.store)].items.append((id, row.version, json))
                } else {
                    stores[key, default: StoreContents(name: row.store)].unreadable.append(String(decoding: row.id, as: UTF8.self))
                }
            }
            return stores.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        }

        /// The store with that name. Throws if it has no rows.
        func store(_ name: String) throws -> StoreContents {
            if let store = stores.first(where: { $0.name.isIdentical(to: name) }) { return store }
            if let damage { throw damage }
            throw Failure(.absent, "There are no items of \"\(name)\" in \"\(path)\".")
        }

        /// Throws if an output is incomplete: the file is damaged, or rows are not JSON.
        func report(unreadableOf stores: [StoreContents]) throws {
            if let damage { throw damage }
            let sentences = stores.compactMap(\.sentenceOfUnreadable)
            guard sentences.isEmpty else { throw Failure(.badData, "\(sentences.joined(separator: " ")) The rest was written.") }
        }
    }

    extension StoreContents {
        /// What is wrong with the rows that are not JSON; nil if there are none.
        var sentenceOfUnreadable: String? {
            guard let first = unreadable.first else { return nil }
            let limit = 5
            let ids = unreadable.prefix(limit).joined(separator: ", ") + (unreadable.count > limit ? " and \(unreadable.count - limit) more" : "")
            let rows = unreadable.count == 1 ? "The row with the id \(first)" : "\(unreadable.count) rows (\(ids))"
            return "\(rows) of \"\(name)\" \(unreadable.count == 1 ? "is" : "are") not JSON, and left out. Correct or remove it with sqlite3."
        }
    }

    extension [UInt8] {
        /// The JSON on one line, otherwise unchanged: people may have written it on several. Nil if it is not JSON.
        fileprivate var jsonLine: String? {
            guard (try? JSONValue(parsing: self)) != nil else { return nil }
            return String(decoding: map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }, as: UTF8.self)  // in strings JSON escapes these
        }
    }
#endif
