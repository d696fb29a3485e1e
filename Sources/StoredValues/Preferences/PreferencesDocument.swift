/// The members of a preferences file: its text and an index into it.
///
/// Values stay text until somebody reads them, so opening a large file costs one pass, and a member that nobody here
/// declared goes back into the file exactly as a person wrote it.
struct PreferencesDocument: Sendable {
    /// Where a member stands in the text. Offsets of four bytes keep the index small; a file is at most 64 MiB.
    private struct Member {
        /// The name without its quotes, escaped as ``JSONWriter`` does, so that equal names are equal bytes.
        var name: Range<UInt32>
        var value: Range<UInt32>
    }

    /// The whole file.
    private(set) var text: [UInt8]
    /// Sorted by the bytes of the name; no name stands twice.
    private var members: [Member]
    /// Whether the text is laid out as ``compose(_:)`` does it.
    private var isComposed = true
    /// Who wrote them; read once from their own member.
    var versions = MemberVersions()

    /// A file with no members.
    init() {
        text = Array("{\n}\n".utf8)
        members = []
    }

    /// Reads a file: one JSON object. Of two members with one name the last counts, as in most readers of JSON. Of an object
    /// that is not a whole file no versions are read.
    init(parsing bytes: [UInt8], isWholeFile: Bool = true) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        try scanner.checkEncoding()
        scanner.skipByteOrderMark()
        scanner.skipWhitespace()
        guard scanner.next == UInt8(ascii: "{") else {
            throw scanner.failure("expected an object, which begins with {")
        }
        try scanner.enter(0)
        text = bytes
        members = []
        isComposed = false
        var orderly = true
        if !scanner.skipEmpty(UInt8(ascii: "}")) {
            repeat {
                let (name, escaped) = try scanner.skipString()
                try scanner.skipColon()
                let value = try scanner.skipValue(depth: 1)
                let member = Member(name: name.compact, value: value.compact)
                if let last = members.last, !precedes(text[last.name], text[member.name]) { orderly = false }
                if escaped { orderly = false }
                members.append(member)
            } while try scanner.skipSeparator(orEnd: UInt8(ascii: "}"))
        }
        try scanner.checkEnd()
        if !orderly { putInOrder() }
        if isWholeFile, let text = self[MemberVersions.name] { versions = MemberVersions(parsing: text) }
    }

    /// Sorts the members by name, unescapes names as far as JSON allows, and keeps the last of each.
    private mutating func putInOrder() {
        // Names that are spelled in another way than ours come behind the text once more, in ours. Nothing else is copied
        // for each member: a file may have millions.
        var buffer = text
        let scanner = JSONScanner(text)
        for position in members.indices where text[members[position].name].contains(UInt8(ascii: "\\")) {
            // A name with half of a surrogate pair stays as it is spelled, and no key leads to it.
            guard let key = try? scanner.unescape(members[position].name.wide) else { continue }
            let name = Self.escaped(key)
            members[position].name = (buffer.count..<(buffer.count + name.count)).compact
            buffer += name
        }
        var sorted = members
        buffer.withUnsafeBufferPointer { bytes in
            // The sort is stable, so of equal names the one that stood last comes last.
            sorted.sort { bytes[$0.name.wide].lexicographicallyPrecedes(bytes[$1.name.wide]) }
        }
        members = []
        for member in sorted {
            if let last = members.last, buffer[last.name] == buffer[member.name] { members.removeLast() }
            members.append(member)
        }
        compose(members.lazy.map { (buffer[$0.name], buffer[$0.value]) })
    }

    /// The JSON text of the member `key`, or nil when there is none.
    subscript(key: String) -> [UInt8]? { self[PreferencesKey(key)] }

    /// The JSON text of the member `key`, or nil when there is none.
    subscript(key: PreferencesKey) -> [UInt8]? {
        let name = Self.escaped(key.text)[...]
        let position = position(of: name)
        guard position < members.count, text[members[position].name] == name else { return nil }
        return Array(text[members[position].value])
    }

    /// The names of all members that a key leads to, sorted.
    var keys: [String] {
        let scanner = JSONScanner(text)
        return members.compactMap { try? scanner.unescape($0.name.wide) }
    }

    /// The members that no key leads to, for their names have half of a surrogate pair: names and values as they are written.
    var unreachableMembers: [[ArraySlice<UInt8>]] {
        let scanner = JSONScanner(text)
        return members.filter { (try? scanner.unescape($0.name.wide)) == nil }.map { [text[$0.name], text[$0.value]] }
    }

    /// How large the text is once it is laid out as ``compose(_:)`` does it.
    var composedSize: Int {
        guard !isComposed else { return text.count }
        return members.reduce(members.isEmpty ? 4 : 3) { $0 + Self.size(name: $1.name.count, value: $1.value.count) }
    }

    /// What a member takes there, with its indentation, quotes, colon, comma and line break.
    static func size(name: Int, value: Int) -> Int { name + value + 8 }

    /// The document with each of `changes` made: a text replaces or adds the member, nil removes it.
    func applying(_ changes: [PreferencesKey: [UInt8]?]) -> PreferencesDocument {
        let sorted = changes.map { (name: Self.escaped($0.key.text)[...], value: $0.value) }
            .sorted { precedes($0.name, $1.name) }
        if let document = replacingValues(sorted) { return document }
        var merged: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        merged.reserveCapacity(members.count + sorted.count)
        var next = 0
        for change in sorted {
            let position = position(of: change.name)
            merged.append(contentsOf: members[next..<position].map { (text[$0.name], text[$0.value]) })
            next = position
            if next < members.count, text[members[next].name] == change.name { next += 1 }
            if let value = change.value { merged.append((change.name, value[...])) }
        }
        merged.append(contentsOf: members[next...].map { (text[$0.name], text[$0.value]) })
        var document = PreferencesDocument()
        document.compose(merged)
        return document
    }

    /// The document with other values for members that it has; nil where more than values would change.
    private func replacingValues(_ sorted: [(name: ArraySlice<UInt8>, value: [UInt8]?)]) -> PreferencesDocument? {
        guard isComposed else { return nil }
        var document = self
        document.text = []
        document.text.reserveCapacity(text.count + sorted.reduce(0) { $0 + ($1.value?.count ?? 0) })
        var copied = 0
        for (index, change) in sorted.enumerated() {
            let position = position(of: change.name)
            guard let value = change.value, position < members.count, text[members[position].name] == change.name else { return nil }
            let old = members[position].value.wide
            document.text += text[copied..<old.lowerBound]
            document.text += value
            copied = old.upperBound
            document.members[position].value = ((document.text.count - value.count)..<document.text.count).compact
            // Those up to the next change move along.
            let end = index + 1 < sorted.count ? self.position(of: sorted[index + 1].name) : members.count - 1
            document.moveMembers(after: position, through: min(end, members.count - 1), by: document.text.count - copied)
        }
        document.text += text[copied...]
        return document
    }

    private mutating func moveMembers(after first: Int, through last: Int, by distance: Int) {
        guard distance != 0, first < last else { return }
        for position in (first + 1)...last {
            members[position].name = members[position].name.moved(by: distance)
            members[position].value = members[position].value.moved(by: distance)
        }
    }

    /// Writes the text and its index anew from sorted members.
    private mutating func compose(_ sorted: some Collection<(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)>) {
        var writer = JSONWriter()
        var index: [Member] = []
        index.reserveCapacity(sorted.count)
        writer.append("{\n")
        for (position, member) in sorted.enumerated() {
            writer.append("  \"")
            let name = writer.text.count
            writer.append(member.name)
            writer.append("\": ")
            let value = writer.text.count
            writer.append(member.value)
            index.append(
                Member(
                    name: (name..<(name + member.name.count)).compact,
                    value: (value..<writer.text.count).compact
                ))
            writer.append(position < sorted.count - 1 ? ",\n" : "\n")
        }
        writer.append("}\n")
        text = writer.text
        members = index
        isComposed = true
    }

    /// The position of the first member whose name is not before `name`.
    private func position(of name: ArraySlice<UInt8>) -> Int {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if precedes(text[members[middle].name], name) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func precedes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
        left.lexicographicallyPrecedes(right)
    }

    /// A name as it stands between its quotes.
    static func escaped(_ key: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.append(quoted: key)
        return Array(writer.text.dropFirst().dropLast())
    }
}

extension Range<Int> {
    fileprivate var compact: Range<UInt32> { UInt32(lowerBound)..<UInt32(upperBound) }
}

extension Range<UInt32> {
    fileprivate var wide: Range<Int> { Int(lowerBound)..<Int(upperBound) }
    fileprivate func moved(by distance: Int) -> Range<UInt32> {
        (Int(lowerBound) + distance..<Int(upperBound) + distance).compact
    }
}

extension [UInt8] {
    fileprivate subscript(range: Range<UInt32>) -> ArraySlice<UInt8> { self[range.wide] }
}
