/// Objects that are shared while they are in use: at most one per key, and none retained by the table.
///
/// An object's `deinit` calls ``remove(_:)``, unless its keys may stay. No object and no key is released under the lock, because code
/// that then runs may come back here. For a key that is text which programs compare byte by byte, use its bytes: strings that look alike
/// are equal.
package final class WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var object: Object?
    }

    private let entries = Guarded<[Key: Entry]>([:])

    package init() {}

    package subscript(key: Key) -> Object? { entries.withLock { $0[key]?.object } }

    /// All existing objects. The caller must release them without a lock, because any may be the last reference.
    package var objects: [Object] { entries.withLock { $0.values.compactMap { $0.object } } }

    /// The object of `key`, if it `isRight`, or else the one that `make` returns. Both run without the lock. If another thread is faster,
    /// its object is returned and ours dropped.
    package func object<Failure>(
        for key: Key, ifStill isRight: (Object) -> Bool = { _ in true }, orInsert make: () throws(Failure) -> Object
    ) throws(Failure) -> Object {
        let found = self[key]
        if let found, isRight(found) { return found }
        let new = try make()
        defer { withExtendedLifetime((found, new)) {} }  // neither is dropped before the lock is free
        return entries.withLock { entries in
            if let object = entries[key]?.object, object !== found { return object }
            entries[key] = Entry(object: new)
            return new
        }
    }

    /// Removes `key` if its object no longer exists; one inserted since stays.
    package func remove(_ key: Key) {
        let released = entries.withLock { entries -> (Object?, (key: Key, value: Entry)?) in
            guard let index = entries.index(forKey: key) else { return (nil, nil) }
            if let object = entries[index].value.object { return (object, nil) }
            let removed = entries.remove(at: index)
            // To free memory, which a dictionary never does by itself.
            if entries.count <= entries.capacity / 4 { entries = Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) }) }
            return (nil, removed)
        }
        withExtendedLifetime(released) {}
    }

    /// The number of entries that memory is allocated for.
    var capacity: Int { entries.withLock { $0.capacity } }
}
