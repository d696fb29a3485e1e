/// The members of a preferences file: its text, and an index into it.
///
/// Values stay text until they are read, so opening a large file costs one pass, and undeclared members go back into the file
/// exactly as they were. A text stays as it was read until the first change, which formats it.
struct PreferencesDocument: Sendable {
    /// The position of a member in the text. Offsets of four bytes keep the index small; a file is at most 64 MiB.
    private struct Member {
        /// The name without quotes, escaped as by ``JSONWriter``, so that equal names are equal bytes.
        var name: Range<UInt32>
        var value: Range<UInt32>

        mutating func move(by distance: Int) { (name, value) = (name.moved(by: distance), value.moved(by: distance)) }
    }

    /// The whole file.
    private(set) var text: [UInt8]
    /// Its members, sorted by the bytes of the name; each name once.
    private var members: [Member] = []
    /// Whether the text is formatted as by ``write(_:)``.
    private var isFormatted = true
    /// The size of the text once it is formatted. Counted when the file is read: each change asks for it.
    private(set) var formattedSize = 4
    /// Which versions wrote the members, as a reserved member says.
    private var versions = MemberVersions()

    /// A file with no members.
    init() { text = Array("{\n}\n".utf8) }

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
        text = bytes
        isFormatted = false
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
        formattedSize = 3 + max(1, members.reduce(0) { $0 + Self.size(name: $1.name.count, value: $1.value.count) })
        if !isOrderly { write([]) }
        if isWholeFile, let versions = self[MemberVersions.name] { self.versions = MemberVersions(parsing: versions) }
    }

    /// Sorts the members by name, unescapes names as far as JSON allows, and keeps the last of each name.
    private mutating func putInOrder() {
        // Names that are escaped differently are appended to the text once more, in our form. Nothing else is copied per
        // member: a file may have millions.
        let scanner = JSONScanner(text)
        for position in members.indices where text[members[position].name.wide].contains(UInt8(ascii: "\\")) {
            // A name with an unpaired surrogate stays as it is, and no key matches it.
            guard let key = try? scanner.unescape(members[position].name.wide) else { continue }
            let name = PreferencesKey(key).escapedName
            members[position].name = (text.count..<(text.count + name.count)).compact
            text += name
        }
        members = members.sortedLast(by: precedes)
    }

    func stored(_ key: PreferencesKey) -> StoredJSON? { self[key].map { StoredJSON(json: $0, version: versions[key]) } }

    /// The JSON text of the member `key`, or nil if there is none.
    subscript(key: PreferencesKey) -> [UInt8]? {
        let place = key.withEscapedName { find($0) }
        return place.isFound ? Array(text[members[place.position].value.wide]) : nil
    }
    subscript(key: String) -> [UInt8]? { self[PreferencesKey(key)] }

    /// The names of all members that a key can match, sorted.
    var keys: [String] {
        let scanner = JSONScanner(text)
        return members.compactMap { try? scanner.unescape($0.name.wide) }
    }

    /// The members that no key matches, because their names have an unpaired surrogate: names and values as written.
    var unreachableMembers: [[ArraySlice<UInt8>]] {
        let scanner = JSONScanner(text)
        return members.filter { (try? scanner.unescape($0.name.wide)) == nil }.map { [text[$0.name.wide], text[$0.value.wide]] }
    }

    /// The position of the first of `members` whose name is not before `name`, and whether it is equal.
    private func find(_ name: UnsafeBufferPointer<UInt8>) -> (position: Int, isFound: Bool) {
        // By pointers: each access to one of the arrays would count a reference.
        members.withUnsafeBufferPointer { members in
            text.withUnsafeBufferPointer { text in
                var (low, high) = (0, members.count)
                while low < high {
                    let middle = (low + high) / 2
                    if text[members[middle].name].order(to: name) < 0 { low = middle + 1 } else { high = middle }
                }
                return (low, low < members.count && name.order(to: text[members[low].name]) == 0)
            }
        }
    }

    /// Whether the name of one of `members` is before that of another.
    private func precedes(_ left: Member, _ right: Member) -> Bool {
        text.withUnsafeBufferPointer { $0[left.name].order(to: $0[right.name]) < 0 }
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

    /// Makes all `changes` in the text, and notes their versions in a member of its own, which none of them may be. Returns those that have
    /// changed anything.
    @discardableResult
    mutating func apply(_ changes: [PreferencesKey: MemberChange]) -> [PreferencesKey: MemberChange] {
        var made = changes  // usually all, and then nothing is copied
        var edits: [Edit] = []
        edits.reserveCapacity(changes.count + 1)
        var areVersionsChanged = false
        for (key, change) in changes {
            let stored = change.stored, edit = edit(of: key, to: stored?.json)
            let isNoted = stored.map { versions.note($0.version, of: key) } ?? (edit != nil && versions.forget(key))
            if let edit { edits.append(edit) } else if !isNoted { made[key] = nil }
            if isNoted { areVersionsChanged = true }
        }
        if areVersionsChanged, let edit = edit(of: PreferencesKey(MemberVersions.name), to: versions.text) { edits.append(edit) }
        make(edits)
        return made
    }

    func applying(_ changes: [PreferencesKey: MemberChange]) -> PreferencesDocument {
        var document = self
        document.apply(changes)
        return document
    }

    /// A change of one member in the text.
    struct Edit {
        /// The position of the member to replace or remove, or of the one that a new member comes before.
        fileprivate let position: Int
        /// The escaped name of a new member; nil if the member is there.
        fileprivate let newName: [UInt8]?
        /// Nil to remove the member.
        fileprivate let value: [UInt8]?
        /// By how much it enlarges a formatted text.
        let growth: Int
    }

    /// The edit that sets the member to `value`, or removes it if that is nil; nil if that changes nothing.
    func edit(of key: PreferencesKey, to value: [UInt8]?) -> Edit? {
        let (place, nameCount) = key.withEscapedName { (find($0), $0.count) }
        let old = place.isFound ? members[place.position].value : 0..<0
        guard text[old.wide].withUnsafeBufferPointer({ old in (value ?? []).withUnsafeBufferPointer { old.count != $0.count || old.order(to: $0) != 0 } })
        else { return nil }
        return Edit(
            position: place.position, newName: place.isFound ? nil : key.escapedName, value: value,
            growth: Self.size(name: nameCount, value: value?.count ?? 0) - Self.size(name: nameCount, value: old.count))
    }

    /// Makes edits of different members, which this document has returned.
    mutating func make(_ edits: [Edit]) {
        guard !edits.isEmpty else { return }
        guard isFormatted, edits.allSatisfy({ $0.newName == nil && $0.value?.count == members[$0.position].value.count }) else { return write(edits) }
        for edit in edits { text.replaceSubrange(members[edit.position].value.wide, with: edit.value ?? []) }  // the same result, sooner
    }

    // MARK: The text

    /// Writes the text and its index with these edits: members sorted, one after another, other values unchanged.
    private mutating func write(_ edits: [Edit]) {
        var layout = Layout(size: edits.reduce(formattedSize) { $0 + $1.growth }, count: members.count + edits.count)
        let sorted = edits.sorted { left, right in
            guard left.position == right.position, let name = left.newName else { return left.position < right.position }
            // A new member comes before the one that is at its position.
            return right.newName.map { right in name.withUnsafeBufferPointer { name in right.withUnsafeBufferPointer { name.order(to: $0) < 0 } } } ?? true
        }
        var next = 0
        func copy(upTo position: Int) {
            if isFormatted {
                layout.append(members[next..<position], of: text)
            } else {
                for member in members[next..<position] { layout.append(text[member.name.wide], text[member.value.wide]) }
            }
            next = position
        }
        for edit in sorted {
            copy(upTo: edit.position)
            if let value = edit.value { layout.append(edit.newName?[...] ?? text[members[edit.position].name.wide], value[...]) }
            if edit.newName == nil { next += 1 }
        }
        copy(upTo: members.count)
        layout.end()
        (text, members, isFormatted) = (layout.writer.text, layout.members, true)
        formattedSize = text.count
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

        /// Appends members that are consecutive in `text`, already in this format.
        mutating func append(_ run: ArraySlice<Member>, of text: [UInt8]) {
            guard let first = run.first, let last = run.last else { return }
            if !members.isEmpty { writer.append(",\n") }
            let start = Int(first.name.lowerBound) - 3  // with its indentation and quote
            let distance = writer.text.count - start
            writer.append(text[start..<Int(last.value.upperBound)])
            let count = members.count
            members += run
            guard distance != 0 else { return }
            members.withUnsafeMutableBufferPointer { members in
                for position in count..<members.count { members[position].move(by: distance) }
            }
        }

        mutating func end() { writer.append(members.isEmpty ? "}\n" : "\n}\n") }
    }

    // MARK: Size, which must stay small enough for the file to be read again

    func hasRoom(for changes: [PreferencesKey: MemberChange], within limit: Int) -> Bool {
        // Usually this bound is enough, without a lookup. A name grows by its escapes, and may be listed among the versions, too.
        let bound = changes.reduce(formattedSize) { $0 + ($1.value.stored?.json.count ?? 0) + 12 * $1.key.text.utf8.count + 128 }
        guard bound > limit else { return true }
        return formattedSize + growth(by: changes) <= limit
    }

    /// By how much `changes` enlarge the text, at most.
    func growth(by changes: [PreferencesKey: MemberChange]) -> Int {
        changes.reduce(0) { sum, change in
            let (key, change) = change
            let growth = edit(of: key, to: change.stored?.json)?.growth ?? 0
            // At most an entry of that name and a number, and around the first the member of all entries.
            let isNoted = stored(key)?.version ?? 0 != change.stored?.version ?? 0
            return sum + growth + (isNoted ? key.escapedName.count + 64 : 0)
        }
    }

    /// The size of a member with its indentation, quotes, colon, comma and line break; 0 without a value.
    private static func size(name: Int, value: Int) -> Int { value == 0 ? 0 : name + value + 8 }
}
