import StoredValues

/// How the program looks. Its JSON has had three shapes:
///
///     {"size": "large", "dark": true}                                    // version 0, before there were versions
///     {"fontSize": 18, "dark": true}                                     // version 1
///     {"font": {"family": "Sans", "size": 18}, "theme": "dark"}          // version 2
struct Appearance: VersionedItem, Equatable {
    struct Font: Codable, Equatable, Sendable {
        var family = "Sans"
        var size = 12
    }

    enum Theme: String, Codable, Sendable {
        case light, dark
    }

    var font = Font()
    var theme = Theme.light

    static let version = 2

    /// One step at a time: what version 0 wrote passes through version 1.
    static func migrate(_ json: inout JSONValue, from version: Int) throws {
        switch version {
        case 0:
            json["fontSize"] = JSONValue(pointSize(json["size"]?.stringValue))
            json["size"] = nil
        default:
            json["font"] = ["family": "Sans", "size": json["fontSize"] ?? 12]
            json["fontSize"] = nil
            json["theme"] = json["dark"]?.boolValue == true ? "dark" : "light"
            json["dark"] = nil
        }
    }

    private static func pointSize(_ name: String?) -> Int {
        switch name {
        case "small": 10
        case "large": 18
        default: 12
        }
    }
}

extension StoredKey where Item == Appearance {
    // It was called "look" until version 2 of the program.
    static let appearance = StoredKey("appearance", default: Appearance(), formerKeys: ["look"])
}
