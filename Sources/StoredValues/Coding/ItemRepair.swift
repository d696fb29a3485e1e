/// Decodes as much as possible of JSON that does not decode as a whole, and takes the rest from other items.
///
/// Repeatedly replaces only the part at which decoding fails. A missing part comes from the default, and is not reported: the
/// type gained a property, or a user wrote only the members they change. A broken part comes from the last good item, or from
/// the default if none is known, or is removed if that has no counterpart. Elements of a list have no counterpart, because
/// lists may differ in order and length, unless they are read by position, like the two numbers of a range.
struct ItemRepair<Item: StorableItem> {
    /// With more broken parts than this, the whole value is replaced.
    private static var limit: Int { 100 }

    /// The stored JSON with the repairs so far.
    private var draft: Draft
    private let counterparts: Counterparts
    private let decoding: DecodingStrategy
    /// Lists that turned out to be read by position, although their reader asks for the end.
    private var positional: Set<RepairPath> = []
    /// The draft before the first element was removed, for each list.
    private var complete: [RepairPath: Draft] = [:]
    /// Why the value cannot be read: the reason of the first broken part.
    private var reason: String?

    private struct Draft {
        var json: JSONValue
        var parts: [(path: RepairPath, repair: Repair)] = []
        /// The removed elements of each list, by their positions in the file.
        var removed: [RepairPath: [Int]] = [:]
        /// Missing parts that were filled in from the default, each once: they may not decode there either.
        var filled: Set<RepairPath> = []
    }

    /// Decodes `json`, which does not decode as it is. Returns no item if repairs do not help; then the whole value is to be
    /// replaced with the last good one or the default, as the last repair says.
    static func decode(
        _ json: JSONValue, default defaultItem: Item, lastGood: Item? = nil, _ decoding: DecodingStrategy = .lenient
    ) -> (item: Item?, repairs: [Repair]) {
        var repair = ItemRepair(json, default: defaultItem, lastGood, decoding)
        if let decoded = repair.decode() { return decoded }
        return (nil, [.whole(repair.counterparts.action, repair.reason ?? "")])
    }

    private init(_ json: JSONValue, default defaultItem: Item, _ lastGood: Item?, _ decoding: DecodingStrategy) {
        draft = Draft(json: json)
        self.decoding = decoding
        let standard = try? ItemEncoder.encode(defaultItem)
        counterparts =
            if let lastGood {
                Counterparts(ofBroken: try? ItemEncoder.encode(lastGood), .usedLastGood, ofMissing: standard)
            } else {
                Counterparts(ofBroken: standard, .usedDefault, ofMissing: standard)
            }
    }

    private mutating func decode() -> (item: Item?, repairs: [Repair])? {
        while draft.parts.count <= Self.limit {
            let trace = DecodingTrace()
            do {
                return (try ItemDecoder.decode(Item.self, from: draft.json, trace: trace), draft.parts.map(\.repair))
            } catch {
                guard repair(DecodingProblem(error, trace)) else { return nil }
            }
        }
        reason = "more than \(Self.limit) parts of it cannot be read; the first: \(reason ?? "")"
        return nil
    }

    /// Repairs the part that `problem` names. Returns false if only the whole value is left to replace.
    private mutating func repair(_ problem: DecodingProblem) -> Bool {
        let place = place(of: problem)
        if returnToCompleteList(around: place) { return true }
        if fillIn(place) { return true }
        if reason == nil { reason = problem.reason }
        guard decoding == .lenient else { return false }
        let before = draft
        guard let part = PartRepair.repair(&draft.json, at: place[...], from: counterparts) else { return false }
        let path = RepairPath(place.prefix(part.depth))
        // The new repair replaces earlier ones inside the part; the first reason says most.
        let inside = draft.parts.first { $0.path.starts(with: path) }
        draft.parts.removeAll { $0.path.starts(with: path) }
        draft.removed = draft.removed.filter { !$0.key.starts(with: path) }
        let repair = Repair(path: path.description, action: part.action, reason: inside?.repair.reason ?? problem.reason)
        draft.parts.append((path, repair))
        if !part.elements.isEmpty {
            let list = RepairPath(place.prefix(part.depth - 1))
            if complete[list] == nil { complete[list] = before }
            draft.removed[list, default: []] += part.elements
        }
        return true
    }

    /// Fills in a missing member from the default, if that is the problem.
    private mutating func fillIn(_ place: [RepairStep]) -> Bool {
        let path = RepairPath(place)
        guard !draft.filled.contains(path), PartRepair.fillIn(&draft.json, at: place[...], from: counterparts.ofMissing) else {
            return false
        }
        draft.filled.insert(path)
        return true
    }

    /// If a list fails as a whole because an element was removed, that element was needed: everything returns to the state
    /// before, and the list counts as read by position.
    private mutating func returnToCompleteList(around place: [RepairStep]) -> Bool {
        var list = place[...]
        if case .element(_, _, isMissing: true, _) = list.last { list.removeLast() }
        let path = RepairPath(list)
        guard !positional.contains(path), let before = complete[path] else { return false }
        positional.insert(path)
        complete = [:]
        draft = before
        return true
    }

    /// The path to the problem, with positions in the current JSON and in the file.
    private func place(of problem: DecodingProblem) -> [RepairStep] {
        var place: [RepairStep] = []
        var here: JSONValue? = draft.json
        for (depth, key) in problem.path.enumerated() {
            switch here {
            case .object(let members):
                place.append(.member(key.stringValue))
                here = members[key.stringValue]
            case .array(let elements):
                guard let index = key.intValue, index >= 0 else { return place }
                let list = RepairPath(place)
                let reading = positional.contains(list) ? .byPosition : problem.readings[depth] ?? .untilTheEnd
                let isMissing = index >= elements.count
                place.append(.element(index, inFile: placeInFile(of: index, in: list), isMissing: isMissing, reading))
                here = isMissing ? nil : elements[index]
            default:
                return place  // the item itself decodes a string or a number
            }
        }
        return place
    }

    private func placeInFile(of index: Int, in list: RepairPath) -> Int {
        var place = index
        for removed in (draft.removed[list] ?? []).sorted() where removed <= place { place += 1 }
        return place
    }
}

/// One step from a JSON value to a part of it.
enum RepairStep {
    case member(String)
    /// An element by its position now and in the file, and how its list is read.
    case element(Int, inFile: Int, isMissing: Bool, DecodingTrace.ListReading)
}

/// The path of a part in the stored value, in the usual notation: `windows[2].title`.
struct RepairPath: Hashable, CustomStringConvertible {
    private let names: [String]

    init(_ steps: some Sequence<RepairStep>) {
        names = steps.map { step in
            switch step {
            case .member(let name): ".\(name)"
            case .element(_, let index, _, _): "[\(index)]"
            }
        }
    }

    func starts(with other: RepairPath) -> Bool { names.starts(with: other.names) }

    var description: String {
        let text = names.joined()
        return String(text.hasPrefix(".") ? text.dropFirst() : text[...])
    }
}
