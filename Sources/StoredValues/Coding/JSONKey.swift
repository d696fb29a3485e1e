/// A member's name or an element's position in a coding path.
enum JSONKey: CodingKey, Hashable {
    case member(String)
    /// A repair may remove it only from a list that is read as a whole: the two numbers of a range have their places.
    case element(Int, isRemovable: Bool = false)

    init?(stringValue: String) { self = .member(stringValue) }
    init?(intValue: Int) { self = .element(intValue) }

    var stringValue: String {
        switch self {
        case .member(let name): name
        case .element(let index, _): "\(index)"
        }
    }

    var intValue: Int? { if case .element(let index, _) = self { index } else { nil } }
}
