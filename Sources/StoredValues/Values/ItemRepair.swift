/// Reads what can be read of JSON that does not decode, and takes the rest from the default.
enum ItemRepair {
    /// After so many parts the whole is taken from the default.
    private static let limit = 100

    /// Decodes `json`. Again and again, only the part that the decoding error names is replaced by the default's
    /// counterpart, or left out where it has none. Returns the default if that leads nowhere.
    static func decode<Item: StorableItem>(
        _ json: JSONValue, default fallback: Item, after first: any Error
    ) -> (item: Item, repairs: [Repair]) {
        var json = json
        var repairs: [Repair] = []
        var error = first
        if let fallbackJSON = try? ItemEncoder.encode(fallback) {
            for _ in 0..<limit {
                guard let problem = Problem(error), let action = mend(&json, at: problem.path[...], from: fallbackJSON)
                else { break }
                repairs.append(Repair(path: text(problem.path.prefix(action.depth)), action: action.kind, reason: problem.reason))
                do {
                    return (try ItemDecoder.decode(Item.self, from: json), repairs)
                } catch let next {
                    error = next
                }
            }
        }
        return (fallback, [wholeDefault(first)])
    }

    /// The report of a value that is not read at all.
    static func wholeDefault(_ error: any Error) -> Repair {
        Repair(path: "", action: .tookDefault, reason: Problem(error)?.reason ?? "\(error)")
    }

    /// What was changed: the part's depth below the whole, and how.
    private struct Mending {
        var depth: Int
        var kind: Repair.Action
    }

    /// Replaces the part of `json` at `path`. A part without a counterpart takes the smallest part around it that has one,
    /// or that can be left out, with it. Returns nil where only the whole is left.
    private static func mend(_ json: inout JSONValue, at path: ArraySlice<any CodingKey>, from fallback: JSONValue?) -> Mending? {
        guard let key = path.first else { return nil }
        switch json {
        case .object(var members):
            let name = key.stringValue
            let counterpart = fallback?[name]
            if path.count > 1, var member = members[name], let inner = mend(&member, at: path.dropFirst(), from: counterpart) {
                members[name] = member
                json = .object(members)
                return Mending(depth: inner.depth + 1, kind: inner.kind)
            }
            guard members[name] != nil || counterpart != nil, members[name] != counterpart else { return nil }
            members[name] = counterpart
            json = .object(members)
            return Mending(depth: 1, kind: counterpart == nil ? .leftOut : .tookDefault)
        case .array(var elements):
            guard let index = key.intValue, elements.indices.contains(index) else { return nil }
            // An element has no counterpart: the lists need not have the same order or length.
            if path.count > 1, let inner = mend(&elements[index], at: path.dropFirst(), from: nil) {
                json = .array(elements)
                return Mending(depth: inner.depth + 1, kind: inner.kind)
            }
            elements.remove(at: index)
            json = .array(elements)
            return Mending(depth: 1, kind: .leftOut)
        default:
            return nil
        }
    }

    private static func text(_ path: some Sequence<any CodingKey>) -> String {
        path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
            .replacing(".[", with: "[")
    }

    /// The part and the reason that a decoding error names.
    private struct Problem {
        var path: [any CodingKey]
        var reason: String

        init?(_ error: any Error) {
            guard let error = error as? DecodingError else { return nil }
            switch error {
            case .keyNotFound(let key, let context):
                path = context.codingPath + [key]
                reason = context.debugDescription
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                path = context.codingPath
                reason = context.debugDescription
            @unknown default:
                return nil
            }
        }
    }
}
