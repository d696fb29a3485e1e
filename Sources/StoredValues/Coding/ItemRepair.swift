/// Decodes as much as possible of JSON that does not decode as a whole.
///
/// A missing member takes its counterpart from the default, without a report: the type gained a property, or a user wrote only
/// the members they change. Without a default nothing is filled in. A member that does not decode takes its counterpart from the last
/// good item, or from the default if none is known; without a counterpart it is left out. So is an element of an array or a set. If that
/// does not help, or for anything else, the part around it is repaired in the same way, and at last the whole value is replaced.
struct ItemRepair<Item: StorableItem> {
    /// With more broken parts than this, the whole value is replaced.
    private static var limit: Int { 100 }

    /// The stored JSON with the repairs so far.
    private var json: JSONValue
    /// What replaces broken members.
    private let counterparts: JSONValue?
    private let action: Repair.Action
    /// What missing members are filled in from.
    private let standard: JSONValue?
    /// The members that were filled in or left out. None is filled in again: it may not decode, or was broken and not missing.
    private var settled: Set<[JSONKey]> = []
    /// The repairs, and where each part is in the file.
    private var parts: [(path: [JSONKey], repair: Repair)] = []

    /// Decodes `json`, which does not decode as it is. Returns no item if repairs do not help; then the whole value is to be
    /// replaced with the last good one or the default, as the last repair says.
    static func decode(
        _ json: JSONValue, default defaultItem: Item?, lastGood: Item? = nil, _ decoding: DecodingStrategy = .lenient
    ) -> (item: Item?, repairs: [Repair]) {
        var draft = ItemRepair(json, default: defaultItem, lastGood)
        var first: String?
        while draft.parts.count <= limit {
            let trace = DecodingTrace()
            do {
                return (try ItemDecoder.decode(Item.self, from: draft.json, trace: trace), draft.parts.map(\.repair))
            } catch {
                let place = draft.place(trace.path(of: error))
                if draft.fillIn(place) { continue }
                let reason = DecodingTrace.reason(error) + trace.cases
                first = first ?? reason
                guard decoding == .lenient, draft.repair(place, reason) else {
                    return (nil, [.whole(draft.action, first ?? reason)])
                }
            }
        }
        return (nil, [.whole(draft.action, "more than \(limit) parts of it cannot be read; the first: \(first ?? "")")])
    }

    private init(_ json: JSONValue, default defaultItem: Item?, _ lastGood: Item?) {
        self.json = json
        standard = defaultItem.flatMap { try? ItemEncoder.encode($0) }
        counterparts = lastGood == nil ? standard : try? ItemEncoder.encode(lastGood)
        action = lastGood == nil ? .usedDefault : .usedLastGood
    }

    /// The keys of `path` as far as they lead into the JSON.
    private func place(_ path: [any CodingKey]) -> [JSONKey] {
        var place: [JSONKey] = []
        for key in path {
            switch json[place[...]] {
            case .object: place.append(.member(key.stringValue))
            case .array:
                guard let index = key.intValue else { return place }
                place.append(key as? JSONKey ?? .element(index))
            default: return place  // the item itself decodes a string or a number
            }
        }
        return place
    }

    /// Fills in the member at `place` from the default, if that is the problem.
    private mutating func fillIn(_ place: [JSONKey]) -> Bool {
        guard json[place[...]] == nil, let member = counterpart(of: place[...], in: standard), settled.insert(place).inserted
        else { return false }
        json[place[...]] = member
        return true
    }

    /// Replaces or removes the smallest part around `place` for which that changes anything; false if only the whole value is left.
    private mutating func repair(_ place: [JSONKey], _ reason: String) -> Bool {
        for end in place.indices.reversed() {
            if case .element(_, isRemovable: false) = place[end] { continue }
            let part = place[...end]
            let counterpart = counterpart(of: part, in: counterparts)
            // A counterpart that is equal does not decode either.
            guard json[part] != counterpart else { continue }
            json[part] = counterpart
            if counterpart == nil { settled.insert(Array(part)) }
            let path = placeInFile(of: part)
            // The new repair replaces earlier ones inside the part; the first reason is the most precise.
            let inside = parts.first { $0.path.starts(with: path) }
            parts.removeAll { $0.path.starts(with: path) }
            // The path in the usual notation: `windows[2].title`.
            let text = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
            let repair = Repair(
                path: String(text.hasPrefix(".") ? text.dropFirst() : text[...]), action: counterpart == nil ? .removed : action,
                reason: inside?.repair.reason ?? reason)
            parts.append((path, repair))
            return true
        }
        return false
    }

    /// The counterpart of a member. Elements have none, as lists may differ in order and length.
    private func counterpart(of part: ArraySlice<JSONKey>, in whole: JSONValue?) -> JSONValue? {
        part.contains { $0.intValue != nil } ? nil : whole?[part]
    }

    /// The same path with the positions of elements in the file, which still has those that were left out.
    private func placeInFile(of part: ArraySlice<JSONKey>) -> [JSONKey] {
        part.reduce(into: []) { list, key in
            guard case .element(var index, let isRemovable) = key else { return list.append(key) }
            // Lists are decoded from front to back, so elements were left out in that order.
            for other in parts where other.path.dropLast() == list[...] && other.repair.action == .removed {
                if let removed = other.path.last?.intValue, removed <= index { index += 1 }
            }
            list.append(.element(index, isRemovable: isRemovable))
        }
    }
}

/// Records where decoding fails: the error that an item throws may be no `DecodingError`, or have no path.
final class DecodingTrace {
    /// The path of the innermost item that failed; nil if none has.
    private var place: [any CodingKey]?
    /// The end of the reason if the innermost item that failed is an enum with few cases: a list of them.
    private(set) var cases = ""

    /// Notes that decoding continues: an earlier failure was handled by the item.
    func goOn() { place = nil }

    /// Notes that the item at `path` failed, unless an item inside it did.
    func fail(at path: [any CodingKey], _ type: any Any.Type) {
        guard place == nil else { return }
        place = path
        cases = if let type = type as? any (CaseIterable & RawRepresentable).Type { Self.list(type) } else { "" }
    }

    private static func list<Item: CaseIterable & RawRepresentable>(_ type: Item.Type) -> String {
        let cases = type.allCases.prefix(21).map { "\($0.rawValue)" }
        return cases.count > 20 ? "" : "; the cases are \(cases.joined(separator: ", "))"
    }

    /// The part that `error` is about: the innermost item that failed, or a part of it that the error names.
    func path(of error: any Error) -> [any CodingKey] {
        let place = place ?? []
        guard let error = error as? DecodingError, var path = error.context?.codingPath else { return place }
        if case .keyNotFound(let key, _) = error { path.append(key) }
        return path.map(\.stringValue).starts(with: place.map(\.stringValue)) ? path : place
    }

    static func reason(_ error: any Error) -> String { (error as? DecodingError)?.context?.debugDescription ?? "\(error)" }
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}

extension JSONValue {
    private subscript(key: JSONKey) -> JSONValue? {
        get { key.intValue.map { self[$0] } ?? self[key.stringValue] }
        set { if let index = key.intValue { self[index] = newValue } else { self[key.stringValue] = newValue } }
    }

    /// The part at `path`, or nil. To assign, everything around the part must exist; nil removes it.
    fileprivate subscript(path: ArraySlice<JSONKey>) -> JSONValue? {
        get { path.reduce(self) { $0?[$1] } }
        set {
            guard let key = path.first else { return self = newValue ?? .null }
            if path.count == 1 { self[key] = newValue } else { self[key]?[path.dropFirst()] = newValue }
        }
    }
}
