import StoredValues

struct Page: Codable, Sendable, VersionedItem {
    var width = 210.0  // millimetres since version 2, inches before
    var margins = [20.0]

    static let version = 2

    static func migrate(_ json: inout JSONValue, from version: Int) throws {
        switch version {
        case 0:  // stored before there were versions: one margin for all sides
            json["margins"] = .array([json["margin"] ?? 1])
        default:  // 1: inches
            json["width"] = json["width"]?.doubleValue.flatMap { JSONValue($0 * 25.4) }
            json["margins"]?.updateElements { $0 = $0.doubleValue.flatMap { JSONValue($0 * 25.4) } ?? $0 }
        }
    }
}
