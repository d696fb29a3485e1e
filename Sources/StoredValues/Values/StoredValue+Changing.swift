// Every change of a stored value ends up in one of these.

extension StoredValue {
    /// Stores `item` as validation returns it. If validation refuses it, the old value stays; that is logged, and ``flush()``
    /// throws it. ``set(checking:)`` throws it at once.
    ///
    /// Blocks the thread while the file is replaced, mostly microseconds: for at most 2 s while another process holds the
    /// file's lock, and for at most 200 ms while another program is writing the file. It also waits for other threads of this process
    /// that change the file: for the closure of an ``update(_:)`` or a batch, and for the disk in ``set(durably:)`` and
    /// ``PreferencesFile/delete()``.
    ///
    /// - Parameters:
    ///   - item: The new value.
    ///   - overwritingNewer: Whether to replace a value that a newer version of the program stored; every other change leaves
    ///     it as it is.
    public func set(_ item: Item, overwritingNewer: Bool = false) {
        let preference = livePreference
        do throws(PreferencesError) {
            let change = try change(to: item, if: overwritingNewer ? .always : nil, in: preference)
            preference.store.make(change, of: key, "set(_:)")
        } catch {
            preference.store.report { $0.refuse(error) }
        }
    }

    /// Stores `item` as validation returns it, or throws why it cannot be stored. For input whose errors must be shown at once.
    ///
    /// An item outside of the range that the key is declared with is refused, and not moved to the nearer bound as by
    /// ``set(_:overwritingNewer:)``. Throws ``PreferencesError/notValid(key:path:reason:)``, ``PreferencesError/notEncodable(key:path:reason:)``,
    /// ``PreferencesError/newerVersion(key:path:stored:supported:)``, ``PreferencesError/tooLarge(key:path:limit:)`` or
    /// ``PreferencesError/overridden(key:by:)``. Then the old value stays, and ``flush()`` does not throw the error again. If the file
    /// cannot be written, nothing is thrown: the value stays in memory, as with ``set(_:overwritingNewer:)``.
    public func set(checking item: Item) throws(PreferencesError) {
        let preference = livePreference
        let change = try change(to: item, isChecked: true, in: preference)
        try preference.store.change("set(checking:)", of: key) { changes throws(PreferencesError) in
            changes[PreferencesKey(key)] = change
            try preference.store.check(changes)
        }
    }

    /// Stores `item` so that it survives a power cut when this returns. If it throws, nothing has changed, but for the cases below. For input
    /// whose loss would matter.
    ///
    /// It is validated as by ``set(checking:)``, and throws the same errors. The new file is synced to the disk before it takes the
    /// place of the old one: if the disk is full, read-only or gone, ``PreferencesError/notSaved(path:reason:)`` is thrown, and the
    /// file and the value in memory stay as they are. If only syncing the folder fails, the old content is put back, and the error
    /// says that others may have seen the new value. Changes that were made before and could not be written yet are written first,
    /// or stay in memory.
    ///
    /// Takes at most five minutes, and throws as soon as its task is cancelled; the change may still be made then. Other changes of
    /// the file wait while the disk is written.
    public func set(durably item: Item) async throws(PreferencesError) {
        let preference = livePreference
        try await preference.store.changeDurably(key, try change(to: item, isChecked: true, in: preference))
    }

    /// Removes the stored value, also under former keys, so that the layers below are read again, or the default.
    public func reset() {
        let preference = livePreference
        if let overridden = preference.store.overridden(key) { return preference.store.report { $0.refuse(overridden) } }
        preference.store.change("reset()", of: key) { changes in
            changes.set(key, to: nil, if: .notNewer(than: preference.schema.version))
            declaration.removeFormerKeys(in: preference.store, upTo: preference.schema.version, &changes)
        }
    }

    /// Changes the value in place, atomically among all threads and processes.
    ///
    /// `change` runs once, on this thread, with the file's lock held: other changes of the file wait. Changing the same file inside it
    /// traps. It may change another file, whose streams and observers are notified when this call ends; two threads that do so with two
    /// files in opposite order deadlock. If `change` throws, nothing is changed.
    ///
    /// If another process holds the lock for 2 s, or the file cannot be written, the change is atomic only within this process, and is
    /// written later, over what others have written; while processes pass the lock on, this waits for its turn. `change` gets the value
    /// that is read, even if the stored one is broken, and validation runs on the result. If a newer version of the program stored the
    /// value, the change is refused.
    @discardableResult
    public func update<Result, Failure>(_ change: (inout Item) throws(Failure) -> Result) throws(Failure) -> Result {
        try update(named: "update(_:)", change)
    }

    /// ``update(_:)`` under the name of the operation that was called.
    func update<Result, Failure>(named call: String, _ change: (inout Item) throws(Failure) -> Result) throws(Failure) -> Result {
        let preference = livePreference
        var used: Item?, shared: Item?  // released after the locks, because that may run the user's code
        defer { withExtendedLifetime((used, shared)) {} }
        return try preference.store.change(call, of: key) { changes throws(Failure) in
            var item = read(preference).item
            defer { used = item }
            if !_isPOD(Item.self), Item.self is AnyObject.Type || (Item.self as? any OptionalItem.Type)?.wrapped is AnyObject.Type {
                (shared, item) = (item, (try? ItemCoding.copy(of: item)) ?? item)
            }
            let result = try change(&item)
            do throws(PreferencesError) {
                changes[PreferencesKey(key)] = try self.change(to: item, in: preference)
            } catch {
                preference.store.report { $0.refuse(error) }
            }
            return result
        }
    }

    /// The change that stores `item` as validation returns it. Without a condition, it does not replace what a newer version stored. Throws
    /// if the item is refused, which one outside of the key's range is only if `isChecked`.
    private func change(
        to item: Item, if condition: MemberChange.Condition? = nil, isChecked: Bool = false, in preference: LivePreference<Item>
    ) throws(PreferencesError) -> MemberChange {
        if let overridden = preference.store.overridden(key) { throw overridden }
        let valid: Item, stored: StoredJSON
        do {
            if isChecked { try requireInRange(item) }
            valid = try declaration.validated(item)
        } catch {
            throw .notValid(key: key, path: preference.store.path, reason: "\(error)")
        }
        do {
            stored = StoredJSON(json: try ItemEncoder.text(valid, level: 1), version: preference.schema.version)
        } catch {
            throw .notEncodable(key: key, path: preference.store.path, reason: ItemCoding.reason(error))
        }
        return MemberChange(.item(preference.box.init(valid), text: stored), if: condition ?? .notNewer(than: stored.version), by: preference)
    }

    /// Not inlined, because each `set` would look up the type of the range, which takes 600 instructions.
    @inline(never)
    private func requireInRange(_ item: Item) throws {
        if let range = declaration.range, !range.contains(item) { throw range.refusal(of: item) }
    }
}

// Shorthands for `update(_:)`, with the same guarantees, and unavailable declarations for better compiler errors.

extension StoredValue {
    /// Sets one property of the value; the others keep the values they have at that moment.
    public func set<Property>(_ property: WritableKeyPath<Item, Property>, to value: Property) {
        update(named: "set(_:to:)") { $0[keyPath: property] = value }
    }

    /// Unavailable: a value that is not optional needs a default.
    @available(*, unavailable, message: "give the property a default, as in \"= 14\", or make it optional")
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient, validate: Validation? = nil,
        storage: PreferencesFile = .standard
    ) { preconditionFailure("unavailable") }

    /// Unavailable: use ``reset()``.
    @available(*, unavailable, renamed: "reset()")
    public func remove() { preconditionFailure("unavailable") }
}

extension StoredValue where Item == Bool {
    /// Toggles the value.
    public func toggle() { update(named: "toggle()") { $0.toggle() } }
}

extension StoredValue where Item: RangeReplaceableCollection {
    /// Appends `element` to the list.
    public func append(_ element: Item.Element) {
        update(named: "append(_:)") { $0.append(element) }
    }
}

extension StoredValue where Item: RangeReplaceableCollection, Item.Element: Equatable {
    /// Replaces every element that equals `element` with `replacement`; changes nothing if there is none.
    public func replace(_ element: Item.Element, with replacement: Item.Element) {
        // It throws so that nothing is stored: the list may come from a layer, or be read in place of a broken one.
        try? update(named: "replace(_:with:)") { list throws(NothingToReplace) in
            guard list.contains(element) else { throw NothingToReplace() }
            list = list.replacing(every: element, with: replacement)
        }
    }

    /// Removes every element that equals `element`, or appends it if there is none.
    public func togglePresence(_ element: Item.Element) {
        update(named: "togglePresence(_:)") { $0 = $0.togglingPresence(of: element) }
    }
}

/// A list does not have the element that is to be replaced.
private struct NothingToReplace: Error {}

extension StoredValue where Item: SetAlgebra {
    /// Removes `element`, or inserts it if the set does not have it.
    public func togglePresence(_ element: Item.Element) {
        update(named: "togglePresence(_:)") { if $0.contains(element) { $0.remove(element) } else { $0.insert(element) } }
    }
}

extension StoredValue {
    /// Sets one entry of the dictionary, or removes it if `value` is nil.
    public func update<Key, Value>(key: Key, value: Value?) where Item == [Key: Value] {
        update(named: "update(key:value:)") { $0[key] = value }
    }
}

extension RangeReplaceableCollection where Element: Equatable {
    /// The collection without `element`, or with it appended if it was not in it.
    func togglingPresence(of element: Element) -> Self {
        var others = filter { $0 != element }
        if others.count == count { others.append(element) }
        return others
    }

    func replacing(every element: Element, with replacement: Element) -> Self {
        Self(lazy.map { $0 == element ? replacement : $0 })
    }
}
