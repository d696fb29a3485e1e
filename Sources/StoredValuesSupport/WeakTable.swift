/// Objects that are shared for as long as somebody holds them: at most one for each key, and none held by the table.
///
/// The `deinit` of an object calls ``remove(_:)``, so that the memory of its entry returns. No object and no key goes while the
/// lock is held: what runs then may come back here. Where a key names a file or a text that other programs read, take its bytes
/// (`[UInt8]`): as strings, two that look alike would be one.
package final class WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var object: Object?
    }

    private let entries = Guarded<[Key: Entry]>([:])

    package init() {}

    /// The object of `key`, if somebody holds it.
    package subscript(key: Key) -> Object? { entries.withLock { $0[key]?.object } }

    /// All that somebody holds. The caller must let go of them with no lock held, for any may go then.
    package var objects: [Object] { entries.withLock { $0.values.compactMap { $0.object } } }

    /// The object of `key`, or else the one that `make` returns, which runs with no lock held. If another thread was faster, that
    /// one's object is returned and ours dropped.
    package func object<Failure>(for key: Key, orInsert make: () throws(Failure) -> Object) throws(Failure) -> Object {
        if let object = self[key] { return object }
        let new = try make()
        defer { withExtendedLifetime(new) {} }  // not dropped before the lock is free
        return entries.withLock { entries in
            if let object = entries[key]?.object { return object }
            entries[key] = Entry(object: new)
            return new
        }
    }

    /// Forgets `key` if its object is gone; one that was inserted since stays.
    package func remove(_ key: Key) {
        let released = entries.withLock { entries -> (Object?, (key: Key, value: Entry)?) in
            guard let index = entries.index(forKey: key) else { return (nil, nil) }
            if let object = entries[index].value.object { return (object, nil) }
            let removed = entries.remove(at: index)
            // To give back memory, which a dictionary never does by itself.
            if entries.count <= entries.capacity / 4 { entries = Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) }) }
            return (nil, removed)
        }
        withExtendedLifetime(released) {}
    }

    /// For how many entries there is memory.
    var capacity: Int { entries.withLock { $0.capacity } }
}
