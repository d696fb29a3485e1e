// Which changes are made, and which are refused.

extension PreferencesState {
    typealias Changes = [PreferencesKey: PreferencesTransaction.Change]

    /// Those of `changes` that are to be made. Changes of what a newer version wrote are refused, and all of them if the file
    /// would become too large to be read again: they are one change.
    mutating func permitted(_ changes: Changes) -> Changes {
        fitting(current(changes, in: content), in: content)
    }

    /// The same of what is unsaved, when it is laid over what somebody else wrote. Of these changes each is one by itself.
    mutating func permitted(_ changes: Changes, over content: AmendedDocument) -> Changes {
        let changes = current(changes, in: content)
        guard !content.hasRoom(for: changes, within: sizeLimit) else { return changes }
        // Those with a condition are halves of moves, which must not lose each other.
        let moves = changes.filter { $0.value.isConditional }
        let single = changes.filter { !$0.value.isConditional }.map { [$0.key: $0.value] }
        // The small ones first: when they came is not known any more, and that refuses the fewest.
        let sorted = ([moves] + single).map { ($0, growth: content.growth(by: $0)) }.sorted { $0.growth < $1.growth }
        var content = content
        var permitted: Changes = [:]
        for (part, _) in sorted {
            for (key, change) in fitting(part, in: content) {
                content.make(change, of: key)
                permitted[key] = change
            }
        }
        return permitted
    }

    /// `changes` if there is room for all of them; else none, and that is refused.
    private mutating func fitting(_ changes: Changes, in content: AmendedDocument) -> Changes {
        guard !content.hasRoom(for: changes, within: sizeLimit),
            let largest = changes.max(by: { ($0.value.json?.count ?? 0) < ($1.value.json?.count ?? 0) })
        else { return changes }
        refuse(.tooLarge(key: largest.key.text, path: path, limit: sizeLimit))
        return [:]
    }

    /// Those of `changes` that change something, and nothing of a newer version.
    private mutating func current(_ changes: Changes, in content: AmendedDocument) -> Changes {
        changes.filter { key, change in
            switch change.verdict(where: content.stored(key)) {
            case .make: return true
            case .skip: return false
            case .refuse(let stored):
                refuse(.newerVersion(key: key.text, path: path, stored: stored, supported: change.version))
                return false
            }
        }
    }
}
