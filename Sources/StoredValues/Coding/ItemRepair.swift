/// Reads what can be read of JSON that does not decode, and takes the rest from other items.
///
/// Again and again, only the part at which decoding fails is replaced. What is missing comes from the default, and nobody is told:
/// the type gained a property, or a person wrote only what they change. What is broken comes from the last good item, or from the
/// default where none is known, or is left out where that has no counterpart. The elements of a list have none, for lists need not
/// have the same order or length; unless they are read by position, as the two numbers of a range are.
struct ItemRepair<Item: StorableItem> {
    /// After so many bad parts the whole is taken from elsewhere.
    private static var limit: Int { 100 }

    /// The stored JSON, as far as it is repaired.
    private var draft: Draft
    private let counterparts: Counterparts
    private let decoding: DecodingStrategy
    /// Lists that turned out to be read by position, although their reader asks for the end.
    private var positional: Set<RepairPath> = []
    /// The draft before the first element was left out of each list.
    private var complete: [RepairPath: Draft] = [:]
    /// Why it could not be read, by the first part that was broken.
    private var reason: String?

    private struct Draft {
        var json: JSONValue
        var parts: [(path: RepairPath, repair: Repair)] = []
        /// Which elements of which list were left out, by their places in the file.
        var leftOut: [RepairPath: [Int]] = [:]
        /// What was missing and came from the default, each once: it may be that it does not decode there either.
        var filled: Set<RepairPath> = []
    }

    /// Decodes `json`, which does not decode as it stands. Returns no item where nothing leads to one; then the whole is to be taken
    /// from the last good one, or from the default, as the last repair says.
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
                Counterparts(ofBroken: try? ItemEncoder.encode(lastGood), .tookLastGood, ofMissing: standard)
            } else {
                Counterparts(ofBroken: standard, .tookDefault, ofMissing: standard)
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

    /// Repairs the part that `problem` names. Returns false where only the whole is left.
    private mutating func repair(_ problem: DecodingProblem) -> Bool {
        let place = place(of: problem)
        if returnToCompleteList(around: place) { return true }
        if fillIn(place) { return true }
        if reason == nil { reason = problem.reason }
        guard decoding == .lenient else { return false }
        let before = draft
        guard let part = PartRepair.repair(&draft.json, at: place[...], from: counterparts) else { return false }
        let path = RepairPath(place.prefix(part.depth))
        // What was repaired inside the part before is gone with it; what was wrong at first says most.
        let inside = draft.parts.first { $0.path.starts(with: path) }
        draft.parts.removeAll { $0.path.starts(with: path) }
        draft.leftOut = draft.leftOut.filter { !$0.key.starts(with: path) }
        let repair = Repair(path: path.description, action: part.action, reason: inside?.repair.reason ?? problem.reason)
        draft.parts.append((path, repair))
        if !part.elements.isEmpty {
            let list = RepairPath(place.prefix(part.depth - 1))
            if complete[list] == nil { complete[list] = before }
            draft.leftOut[list, default: []] += part.elements
        }
        return true
    }

    /// Puts the default's member in, where what is to blame is that there is none.
    private mutating func fillIn(_ place: [RepairStep]) -> Bool {
        let path = RepairPath(place)
        guard !draft.filled.contains(path), PartRepair.fillIn(&draft.json, at: place[...], from: counterparts.ofMissing) else {
            return false
        }
        draft.filled.insert(path)
        return true
    }

    /// When a list fails as a whole since it lacks an element, that was needed after all: everything is as it was
    /// before, and the list counts as one that is read by position.
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

    /// The steps that lead to the problem, in the JSON as it is and as it was in the file.
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
                return place  // The item decodes something of its own inside a text or a number.
            }
        }
        return place
    }

    private func placeInFile(of index: Int, in list: RepairPath) -> Int {
        var place = index
        for leftOut in (draft.leftOut[list] ?? []).sorted() where leftOut <= place { place += 1 }
        return place
    }
}

/// One step from a JSON value to a part of it.
enum RepairStep {
    case member(String)
    /// An element by its place now and in the file, and how its list is read.
    case element(Int, inFile: Int, isMissing: Bool, DecodingTrace.ListReading)
}

/// Where a part stands in the stored value, as people write it: `windows[2].title`.
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
