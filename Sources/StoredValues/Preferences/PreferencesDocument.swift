/// The members of a preferences file: its text, an index into it, and changes that are not in the text yet.
///
/// Values stay text until they are read, so opening a large file costs one pass, and undeclared members go back into the file
/// exactly as they were. A change takes no longer in a large file than in a small one; only ``layOut()`` writes the whole text,
/// once for any number of changes.
struct PreferencesDocument: Sendable {
    /// The position of a member in `base`, or in `additions` if it is past its end. Offsets of four bytes keep the index small;
    /// a file is at most 64 MiB.
    private struct Member {
        /// The name without quotes, escaped as by ``JSONWriter``, so that equal names are equal bytes.
        var name: Range<UInt32>
        /// Empty if the member was removed after the text was laid out.
        var value: Range<UInt32>

        mutating func move(by distance: Int) { (name, value) = (name.moved(by: distance), value.moved(by: distance)) }
    }

    /// The file as last read or laid out.
    private var base: [UInt8]
    /// Its members, sorted by the bytes of the name; each name once.
    private var members: [Member] = []
    /// Whether `base` is formatted as by ``layOut()``.
    private var isBaseLaidOut = true

    /// What was set since: the values, and the names of new members.
    private var additions: [UInt8] = []
    /// The positions of those `members` whose value has changed since or was removed; each once.
    private var changed: [Int] = []
    private var added: [PreferencesKey: Member] = [:]

    /// Which versions wrote the members; read once from a reserved member, which is written when the text is laid out.
    private var versions = MemberVersions()
    /// The maximum size of the versions noted since; nil if there are none.
    private var versionsGrowth: Int?
    /// The size of the members in a text that is laid out.
    private var membersSize = 0

    /// A file with no members.
    init() { base = Array("{\n}\n".utf8) }

    // MARK: Reading

    /// Reads a file: one JSON object. Of two members with one name the last counts, as in most JSON readers. From an object
    /// that is not a whole file, no versions are read.
    init(parsing bytes: [UInt8], isWholeFile: Bool = true) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        try scanner.checkEncoding()
        scanner.skipByteOrderMark()
        scanner.skipWhitespace()
        guard scanner.next == UInt8(ascii: "{") else { throw scanner.failure(unless: "expected an object, which begins with {") }
        try scanner.enter(0)
        base = bytes
        isBaseLaidOut = false
        var isOrderly = true
        if !scanner.skipEmpty(UInt8(ascii: "}")) {
            repeat {
                let (name, escaped) = try scanner.skipString()
                try scanner.skipColon()
                let value = try scanner.skipValue(depth: 1)
                let member = Member(name: name.compact, value: value.compact)
                if escaped || members.last.map({ precedes($0, member) }) == false { isOrderly = false }
                members.append(member)
            } while try scanner.skipSeparator(orEnd: UInt8(ascii: "}"))
        }
        try scanner.checkEnd()
        if !isOrderly { putInOrder() }
        membersSize = members.reduce(0) { $0 + Self.size(name: $1.name.count, value: $1.value.count) }
        if isWholeFile, let text = self[MemberVersions.name] { versions = MemberVersions(parsing: text) }
    }

    /// Sorts the members by name, unescapes names as far as JSON allows, and keeps the last of each name.
    private mutating func putInOrder() {
        // Names that are escaped differently are appended to the text once more, in our form. Nothing else is copied per
        // member: a file may have millions.
        let scanner = JSONScanner(base)
        for position in members.indices where bytes(members[position].name).contains(UInt8(ascii: "\\")) {
            // A name with an unpaired surrogate stays as it is, and no key matches it.
            guard let key = try? scanner.unescape(members[position].name.wide) else { continue }
            let name = PreferencesKey(key).escapedName
            members[position].name = (base.count..<(base.count + name.count)).compact
            base += name
        }
        members = members.sortedLast(by: precedes)
        writeAnew()
    }

    /// The content stored under `key`, or nil.
    func stored(_ key: PreferencesKey) -> StoredJSON? { self[key].map { StoredJSON(json: $0, version: versions[key]) } }

    /// The JSON text of the member `key`, or nil if there is none.
    subscript(key: PreferencesKey) -> [UInt8]? {
        let place = key.withEscapedName { find($0) }
        guard let value = place.isFound ? members[place.position].value : added[key]?.value, !value.isEmpty else { return nil }
        return Array(bytes(value))
    }
    subscript(key: String) -> [UInt8]? { self[PreferencesKey(key)] }

    /// The names of all members that a key can match, sorted.
    var keys: [String] {
        let document = laidOut
        let scanner = JSONScanner(document.base)
        return document.members.compactMap { try? scanner.unescape($0.name.wide) }
    }

    /// The members that no key matches, because their names have an unpaired surrogate: names and values as written.
    var unreachableMembers: [[ArraySlice<UInt8>]] {
        let document = laidOut
        let scanner = JSONScanner(document.base)
        return document.members.filter { (try? scanner.unescape($0.name.wide)) == nil }
            .map { [document.bytes($0.name), document.bytes($0.value)] }
    }

    /// The position of the first of `members` whose name is not before `name`, and whether it is equal.
    private func find(_ name: UnsafeBufferPointer<UInt8>) -> (position: Int, isFound: Bool) {
        // By pointers: each access to one of the arrays would count a reference.
        members.withUnsafeBufferPointer { members in
            base.withUnsafeBufferPointer { base in
                var (low, high) = (0, members.count)
                while low < high {
                    let middle = (low + high) / 2
                    if base[members[middle].name].order(to: name) < 0 { low = middle + 1 } else { high = middle }
                }
                return (low, low < members.count && name.order(to: base[members[low].name]) == 0)
            }
        }
    }

    /// Whether the name of one of `members` is before that of another.
    private func precedes(_ left: Member, _ right: Member) -> Bool {
        base.withUnsafeBufferPointer { $0[left.name].order(to: $0[right.name]) < 0 }
    }

    private func bytes(_ range: Range<UInt32>) -> ArraySlice<UInt8> {
        let range = range.wide
        guard range.lowerBound >= base.count else { return base[range] }
        return additions[(range.lowerBound - base.count)..<(range.upperBound - base.count)]
    }

    // MARK: Changing

    /// What to do with a change of `key`, except that it may change nothing.
    func verdict(of change: MemberChange, for key: PreferencesKey) -> MemberChange.Verdict {
        switch change.condition {
        case .always: .make
        case .notNewer(let known) where versions[key] <= known: .make  // nearly always
        case .notNewer, .ifStill: change.verdict(where: stored(key))
        }
    }

    /// Makes a change, and notes its version. Returns whether that changes anything.
    @discardableResult
    mutating func make(_ change: MemberChange, of key: PreferencesKey) -> Bool {
        let stored = change.stored, isSet = set(key, to: stored?.json)
        let isNoted = stored.map { versions.note($0.version, of: key) } ?? (isSet && versions.forget(key))
        if isNoted { versionsGrowth = (versionsGrowth ?? 0) + Self.versionSize(name: key.escapedName.count) }
        // All values of a key that is set repeatedly are kept until the text is laid out.
        if additions.count > max(base.count, 1 << 20) { layOut() }
        return isSet || isNoted
    }

    /// Makes all `changes`, and lays them out. Returns those that have changed anything.
    mutating func apply(_ changes: [PreferencesKey: MemberChange]) -> [PreferencesKey: MemberChange] {
        var made = changes  // usually all, and then nothing is copied
        for (key, change) in changes where !make(change, of: key) { made[key] = nil }
        layOut()
        return made
    }

    /// Sets the member to `value`, or removes it if that is nil. Returns whether that changes anything.
    @discardableResult
    mutating func set(_ key: PreferencesKey, to value: [UInt8]?) -> Bool {
        let (place, nameCount) = key.withEscapedName { (find($0), $0.count) }
        let old = place.isFound ? members[place.position].value : added[key]?.value ?? 0..<0
        guard bytes(old).withUnsafeBufferPointer({ old in (value ?? []).withUnsafeBufferPointer { old.count != $0.count || old.order(to: $0) != 0 } })
        else { return false }
        membersSize += Self.size(name: nameCount, value: value?.count ?? 0) - Self.size(name: nameCount, value: old.count)
        if place.isFound, isBaseLaidOut, old.lowerBound < base.count, let value, value.count == old.count {
            base.replaceSubrange(old.wide, with: value)  // the result is the same as laying it out
        } else if place.isFound {
            if old.lowerBound < base.count { changed.append(place.position) }
            members[place.position].value = append(value ?? [])
        } else if let value {
            let name = added[key]?.name ?? append(key.escapedName)
            added[key] = Member(name: name, value: append(value))
        } else {
            added[key] = nil
        }
        return true
    }

    private mutating func append(_ bytes: [UInt8]) -> Range<UInt32> {
        let start = base.count + additions.count
        additions += bytes
        return (start..<(base.count + additions.count)).compact
    }

    // MARK: The text

    /// The whole file. If nothing has changed, it is as it was read.
    var text: [UInt8] { isChanged ? laidOut.base : base }

    private var laidOut: PreferencesDocument {
        guard isChanged else { return self }
        var document = self
        document.layOut()
        return document
    }

    private var isChanged: Bool { !changed.isEmpty || !added.isEmpty || versionsGrowth != nil }

    /// Writes the changes into the text. A text without changes stays as it was read.
    mutating func layOut() {
        guard isChanged else { return }
        if versionsGrowth != nil {
            versionsGrowth = nil
            set(PreferencesKey(MemberVersions.name), to: versions.text)
        }
        writeAnew()
    }

    /// Writes the text and its index: members sorted, one after another, values unchanged.
    private mutating func writeAnew() {
        var layout = Layout(size: composedSize, count: members.count + added.count)
        var next = 0
        var changed = changed.sorted()[...]
        var added = sortedAdded[...]
        while true {
            let position = min(changed.first ?? members.count, added.first?.position ?? members.count)
            if isBaseLaidOut {
                layout.append(members[next..<position], of: base)
            } else {
                for member in members[next..<position] { layout.append(base[member.name.wide], base[member.value.wide]) }
            }
            next = position
            if let new = added.first, new.position == position {
                added.removeFirst()
                layout.append(bytes(new.member.name), bytes(new.member.value))
            } else if changed.popFirst() != nil {
                if !members[position].value.isEmpty { layout.append(bytes(members[position].name), bytes(members[position].value)) }
                next += 1
            } else {
                break
            }
        }
        layout.end()
        (base, members, isBaseLaidOut) = (layout.writer.text, layout.members, true)
        (self.additions, self.changed, self.added) = ([], [], [:])
    }

    /// A text that is being written, and its index.
    private struct Layout {
        private(set) var writer = JSONWriter()
        private(set) var members: [Member] = []

        init(size: Int, count: Int) {
            writer.reserveCapacity(size)
            members.reserveCapacity(count)
            writer.append("{\n")
        }

        mutating func append(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
            writer.append(members.isEmpty ? "  \"" : ",\n  \"")
            let start = writer.text.count
            writer.append(name)
            writer.append("\": ")
            writer.append(value)
            let end = writer.text.count
            members.append(Member(name: (start..<(start + name.count)).compact, value: ((end - value.count)..<end).compact))
        }

        /// Appends members that are consecutive in `base`, already in this format.
        mutating func append(_ run: ArraySlice<Member>, of base: [UInt8]) {
            guard let first = run.first, let last = run.last else { return }
            if !members.isEmpty { writer.append(",\n") }
            let start = Int(first.name.lowerBound) - 3  // with its indentation and quote
            let distance = writer.text.count - start
            writer.append(base[start..<Int(last.value.upperBound)])
            let count = members.count
            members += run
            guard distance != 0 else { return }
            members.withUnsafeMutableBufferPointer { members in
                for position in count..<members.count { members[position].move(by: distance) }
            }
        }

        mutating func end() { writer.append(members.isEmpty ? "}\n" : "\n}\n") }
    }

    /// The new members, sorted, each with the position of the one of `members` that it comes before.
    private var sortedAdded: [(position: Int, member: Member)] {
        guard !added.isEmpty else { return [] }
        return additions.withUnsafeBufferPointer { additions in
            added.values.map { (name: additions[$0.name.moved(by: -base.count)], member: $0) }
                .sorted { $0.name.order(to: $1.name) < 0 }
                .map { (find($0.name).position, $0.member) }
        }
    }

    // MARK: Size

    /// The maximum size of the text once it is laid out.
    var composedSize: Int { 3 + max(1, membersSize) + (versionsGrowth ?? 0) }
}
