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
