/// The JSON that replaces parts of a value that does not decode.
struct Counterparts {
    /// The replacement for a broken part, and the action to report for it.
    let ofBroken: JSONValue?
    let action: Repair.Action
    /// The replacement for a missing member.
    let ofMissing: JSONValue?

    init(ofBroken: JSONValue?, _ action: Repair.Action, ofMissing: JSONValue?) {
        (self.ofBroken, self.action, self.ofMissing) = (ofBroken, action, ofMissing)
    }

    /// The counterparts of a member.
    subscript(name: String) -> Counterparts { Counterparts(ofBroken: ofBroken?[name], action, ofMissing: ofMissing?[name]) }

    /// The counterparts of an element that is read by position.
    subscript(position: Int) -> Counterparts {
        Counterparts(ofBroken: ofBroken?[position], action, ofMissing: ofMissing?[position])
    }

    static var none: Counterparts { Counterparts(ofBroken: nil, .removed, ofMissing: nil) }
}

/// How a part of a JSON value that does not decode was repaired.
struct PartRepair {
    /// The depth of the repaired part below the whole value.
    var depth: Int
    var action: Repair.Action
    /// The removed elements of its list, by their positions in the file.
    var elements: [Int] = []

    /// Fills in the missing member at `place` from `standard`. Returns false if it is not missing, or has no counterpart there.
    static func fillIn(_ json: inout JSONValue, at place: ArraySlice<RepairStep>, from standard: JSONValue?) -> Bool {
        switch place.first {
        case .member(let name):
            guard case .object(let members) = json else { return false }
            guard var member = members[name] else {
                guard place.count == 1, let counterpart = standard?[name] else { return false }
                json[name] = counterpart
                return true
            }
            guard fillIn(&member, at: place.dropFirst(), from: standard?[name]) else { return false }
            json[name] = member
            return true
        case .element(let index, _, isMissing: false, .byPosition):
            guard var element = json[index], fillIn(&element, at: place.dropFirst(), from: standard?[index]) else { return false }
            json[index] = element
            return true
        default:
            return false
        }
    }

    /// Replaces the part of `json` at `place` with its counterpart, or removes it. If neither is possible, does so with the
    /// smallest part around it. Returns nil if only the whole value is left.
    static func repair(_ json: inout JSONValue, at place: ArraySlice<RepairStep>, from counterparts: Counterparts) -> PartRepair? {
        switch (place.first, json) {
        case (.member(let name), .object(var members)):
            let repair = repairMember(name, of: &members, at: place.dropFirst(), from: counterparts[name])
            json = .object(members)
            return repair
        case (.element(let index, _, _, .byPosition), .array(var elements)):
            let repair = repairPosition(index, of: &elements, at: place.dropFirst(), from: counterparts[index])
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
        _ name: String, of members: inout [String: JSONValue], at rest: ArraySlice<RepairStep>, from counterparts: Counterparts
    ) -> PartRepair? {
        if var member = members[name], let inside = repair(&member, at: rest, from: counterparts) {
            members[name] = member
            return inside.outside
        }
        // A counterpart that is equal does not decode either.
        guard members[name] != counterparts.ofBroken else { return nil }
        members[name] = counterparts.ofBroken
        return PartRepair(depth: 1, action: counterparts.ofBroken == nil ? .removed : counterparts.action)
    }

    private static func repairPosition(
        _ index: Int, of elements: inout [JSONValue], at rest: ArraySlice<RepairStep>, from counterparts: Counterparts
    ) -> PartRepair? {
        if index < elements.count, let inside = repair(&elements[index], at: rest, from: counterparts) { return inside.outside }
        let counterpart = counterparts.ofBroken
        guard let counterpart, index <= elements.count, elements.dropFirst(index).first != counterpart else { return nil }
        elements.replaceSubrange(index..<min(index + 1, elements.count), with: [counterpart])
        return PartRepair(depth: 1, action: counterparts.action)
    }

    private static func repairElement(
        _ index: Int, inFile: Int, _ reading: DecodingTrace.ListReading, of elements: inout [JSONValue],
        at rest: ArraySlice<RepairStep>
    ) -> PartRepair? {
        guard index < elements.count else { return nil }
        if let inside = repair(&elements[index], at: rest, from: .none) { return inside.outside }
        // Key and value are removed together, so that the remaining pairs match those in the file.
        let first = reading == .inPairs ? index & ~1 : index
        let count = reading == .inPairs ? min(2, elements.count - first) : 1
        elements.removeSubrange(first..<(first + count))
        let firstInFile = inFile - (index - first)
        return PartRepair(depth: 1, action: .removed, elements: Array(firstInFile..<(firstInFile + count)))
    }

    /// The same repair, seen from the enclosing container.
    private var outside: PartRepair {
        var repair = self
        repair.depth += 1
        return repair
    }
}
