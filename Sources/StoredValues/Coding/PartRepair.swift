/// What was done to repair a part of a JSON value that does not decode.
struct PartRepair {
    /// How deep the part that was repaired lies below the whole.
    var depth: Int
    var action: Repair.Action
    /// The elements of its list that were left out, by their places in the file.
    var elements: [Int] = []

    /// Replaces the part of `json` at `place` by that of `standard`, or leaves it out. Where neither is possible, the smallest
    /// part around it. Returns nil where only the whole is left.
    static func repair(_ json: inout JSONValue, at place: ArraySlice<RepairStep>, from standard: JSONValue?) -> PartRepair? {
        switch (place.first, json) {
        case (.member(let name), .object(var members)):
            let repair = repairMember(name, of: &members, at: place.dropFirst(), from: standard?[name])
            json = .object(members)
            return repair
        case (.element(let index, _, _, .byPosition), .array(var elements)):
            let counterpart: JSONValue? = if case .array(let others) = standard, index < others.count { others[index] } else { nil }
            let repair = repairPosition(index, of: &elements, at: place.dropFirst(), from: counterpart)
            json = .array(elements)
            return repair
        case (.element(let index, let inFile, _, let reading), .array(var elements)):
            let repair = repairElement(index, inFile: inFile, reading, of: &elements, at: place.dropFirst())
            json = .array(elements)
            return repair
        default:
            return nil
        }
    }

    private static func repairMember(
        _ name: String, of members: inout [String: JSONValue], at rest: ArraySlice<RepairStep>, from counterpart: JSONValue?
    ) -> PartRepair? {
        if var member = members[name], let inside = repair(&member, at: rest, from: counterpart) {
            members[name] = member
            return inside.outside
        }
        // What does not decode although it is the default's does not get better by that.
        guard members[name] != counterpart else { return nil }
        members[name] = counterpart
        return PartRepair(depth: 1, action: counterpart == nil ? .leftOut : .tookDefault)
    }

    private static func repairPosition(
        _ index: Int, of elements: inout [JSONValue], at rest: ArraySlice<RepairStep>, from counterpart: JSONValue?
    ) -> PartRepair? {
        if index < elements.count, let inside = repair(&elements[index], at: rest, from: counterpart) { return inside.outside }
        guard let counterpart, index <= elements.count, elements.dropFirst(index).first != counterpart else { return nil }
        elements.replaceSubrange(index..<min(index + 1, elements.count), with: [counterpart])
        return PartRepair(depth: 1, action: .tookDefault)
    }

    private static func repairElement(
        _ index: Int, inFile: Int, _ reading: DecodingTrace.ListReading, of elements: inout [JSONValue],
        at rest: ArraySlice<RepairStep>
    ) -> PartRepair? {
        guard index < elements.count else { return nil }
        if let inside = repair(&elements[index], at: rest, from: nil) { return inside.outside }
        // A key goes with its value. Pairs are left out as such, so the two stand together in the file as well.
        let first = reading == .inPairs ? index & ~1 : index
        let count = reading == .inPairs ? min(2, elements.count - first) : 1
        elements.removeSubrange(first..<(first + count))
        let firstInFile = inFile - (index - first)
        return PartRepair(depth: 1, action: .leftOut, elements: Array(firstInFile..<(firstInFile + count)))
    }

    /// The same, seen from the container around it.
    private var outside: PartRepair {
        var repair = self
        repair.depth += 1
        return repair
    }
}
