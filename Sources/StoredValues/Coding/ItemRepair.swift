/// Reads what can be read of JSON that does not decode, and takes the rest from the default.
///
/// Again and again, only the part at which decoding fails is replaced by the default's counterpart, or left out where
/// it has none. The elements of a list have none, for lists need not have the same order or length; unless they are read by
/// position, as the two numbers of a range are.
struct ItemRepair<Item: StorableItem> {
    /// After so many bad parts the whole is taken from the default.
    private static var limit: Int { 100 }

    /// The stored JSON, as far as it is repaired.
    private var draft: Draft
    private let standard: JSONValue?
    /// Lists that turned out to be read by position, although their reader asks for the end.
    private var positional: Set<RepairPath> = []
    /// The draft before the first element was left out of each list.
    private var complete: [RepairPath: Draft] = [:]

    private struct Draft {
        var json: JSONValue
        var parts: [(path: RepairPath, repair: Repair)] = []
        /// Which elements of which list were left out, by their places in the file.
        var leftOut: [RepairPath: [Int]] = [:]
    }

    /// Decodes `json`, which does not decode as it stands. Returns `fallback` if nothing else leads to an item.
    static func decode(_ json: JSONValue, default fallback: Item) -> (item: Item, repairs: [Repair]) {
        var repair = ItemRepair(json, default: fallback)
        return repair.decode() ?? (fallback, repair.first.map { [.wholeDefault($0)] } ?? [])
    }

    private init(_ json: JSONValue, default fallback: Item) {
        draft = Draft(json: json)
        standard = try? ItemEncoder.encode(fallback)
    }

    /// Why it did not decode at first.
    private var first: String?

    private mutating func decode() -> (item: Item, repairs: [Repair])? {
        while draft.parts.count <= Self.limit {
            let trace = DecodingTrace()
            do {
                return (try ItemDecoder.decode(Item.self, from: draft.json, trace: trace), draft.parts.map(\.repair))
            } catch {
                let problem = DecodingProblem(error, trace)
                if first == nil { first = problem.reason }
                guard repair(problem) else { return nil }
            }
        }
        first = "more than \(Self.limit) parts of it cannot be read; the first: \(first ?? "")"
        return nil
    }

    /// Repairs the part that `problem` names. Returns false where only the whole is left.
    private mutating func repair(_ problem: DecodingProblem) -> Bool {
        let place = place(of: problem)
        if returnToCompleteList(around: place) { return true }
        let before = draft
        guard let part = PartRepair.repair(&draft.json, at: place[...], from: standard) else { return false }
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
