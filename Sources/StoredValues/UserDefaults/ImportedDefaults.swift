import FoundationEssentials
import StoredValuesSupport

/// The names of the property lists that were imported into a file: its reserved member `"$imported": ["com.example.Editor"]`.
struct ImportedDefaults {
    /// The member's name; keys never begin with a `$`.
    static let member = "$imported"

    var names: Set<String> = []

    /// The names that `text` lists; none if it is not a list of strings (a user may have edited it).
    init(parsing text: [UInt8]?) {
        guard let text, let json = try? JSONValue(parsing: text) else { return }
        names = Set((json.arrayValue ?? []).compactMap(\.stringValue))
    }

    /// The text of the member.
    var text: [UInt8] { JSONValue.array(names.sorted().map(JSONValue.string)).text(level: 1) }

    /// The name of a property list: that of its file, which stays when the folders above it are moved.
    static func name(of path: String) -> String {
        let file = path.parts(separatedBy: "/").last ?? path
        return file.utf8.reversed().starts(with: ".plist".utf8.reversed()) ? String(Substring(file.utf8.dropLast(6))) : file
    }
}

// What a property list contains.
extension ImportedDefaults {
    /// A value to store and its original form, or why it cannot be stored.
    enum Reading {
        case success(JSONValue, UserDefaultsImport.Form)
        case failure(UserDefaultsImport.Reason)
    }

    /// The keys and values of a property list.
    static func entries(_ bytes: [UInt8]) throws -> [String: PropertyListValue] {
        guard case .dictionary(let entries) = try PropertyListValue(parsing: bytes) else {
            throw PropertyListCheck.Problem.damaged
        }
        return entries
    }

    /// The JSON that `value` becomes.
    static func json(_ value: PropertyListValue) -> Reading {
        guard case .data(let data) = value else { return reading(value, .plain) }
        let bytes = Array(data)
        if let json = try? JSONValue(parsing: bytes) {
            guard case .object(let members) = json, members.count == 1, let content = members["value"] else {
                return checked(json, .json)
            }
            return checked(content, .boxedJSON)
        }
        let isList = ["bplist", "<?xml"].contains { bytes.starts(with: $0.utf8) }
        guard isList, let list = try? PropertyListValue(parsing: bytes) else { return reading(value, .data) }
        if case .dictionary(let members) = list, members["$archiver"] != nil { return .failure(.archivedObject) }
        return reading(list, .propertyList)
    }

    private static func reading(_ value: PropertyListValue, _ form: UserDefaultsImport.Form) -> Reading {
        // Only its depth can prevent a property list from being encoded.
        guard let json = try? ItemEncoder.encode(value) else { return .failure(.tooDeep) }
        return checked(json, form)
    }

    private static func checked(_ json: JSONValue, _ form: UserDefaultsImport.Form) -> Reading {
        PreferencesDocument.canRead(json.text()) ? .success(json, form) : .failure(.tooDeep)
    }
}
