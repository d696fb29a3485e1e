import StoredValuesSupport

/// A ``StoredKey`` of any type, so that keys of several types stand in one list.
///
/// ```swift
/// extension StoredKey where Item == Int {
///     static let limit = StoredKey("limit", default: 60, in: 1...100, title: "Limit", help: "Requests a minute")
/// }
/// extension StoredKey where Item == String {
///     static let theme = StoredKey("theme", default: "light", title: "Theme", help: "The colours")
/// }
///
/// enum Settings {
///     static let all = [AnyStoredKey](.limit, .theme)
/// }
///
/// func change(_ name: String, to text: String) throws {
///     for setting in PreferencesFile.standard.settings(of: Settings.all) where setting.name == name {
///         try setting.set(text: text)
///     }
/// }
/// ```
///
/// With such a list a program shows a settings page, and publishes what can be set; see <doc:SettingsPages>.
public struct AnyStoredKey: Sendable {
    let key: any ErasedKey

    /// The same key without its type.
    public init<Item>(_ key: StoredKey<Item>) { self.key = key }

    /// The member of the file that holds the value.
    public var name: String { key.name }
    /// The name for people; empty if there is none.
    public var title: String { key.title }
    /// What the value is for, as declared.
    public var help: String { key.help }
}

extension [AnyStoredKey] {
    /// These keys without their types.
    public init<each Item>(_ keys: repeat StoredKey<each Item>) {
        self.init()
        repeat append(AnyStoredKey(each keys))
    }
}

/// What can be done with a key without its type.
protocol ErasedKey: Sendable {
    var name: String { get }
    var title: String { get }
    var help: String { get }
    var formerKeys: [String] { get }
    func setting(in file: PreferencesFile) -> Setting
    /// The key's part of the published schema: its title, help and default, and what may be stored.
    var declaration: JSONValue { get }
    /// Why the value is not read as it is stored: because of these repairs, or because it is not in the range. Nil if it is.
    func problem(with json: JSONValue?, _ repairs: [Repair]) -> String?
}

extension StoredKey: ErasedKey {
    func setting(in file: PreferencesFile) -> Setting { Setting(StoredValue(self, storage: file)) }

    var declaration: JSONValue {
        // What is read without a repair. For a type with versions the schema allows anything: older versions had other shapes.
        var declaration = (ItemSchema(of: Item.self).version == 0 ? strictSchema : .anything).json
        if !title.isEmpty { declaration["title"] = .string(title) }
        if !help.isEmpty { declaration["description"] = .string(help) }
        declaration["default"] = try? ItemEncoder.encode(defaultItem)
        return declaration
    }

    func problem(with json: JSONValue?, _ repairs: [Repair]) -> String? {
        let words = json.flatMap { strictSchema.misfit($0) }
        if let repair = repairs.first { return words ?? (repair.path.isEmpty ? repair.reason : "\(repair)") }
        guard let range, let item = json?.item(Item.self), !range.contains(item) else { return nil }
        return words ?? "\(range.refusal(of: item))"
    }

    /// The schema of what can be set now.
    var strictSchema: JSONSchema {
        let schema = ItemShape.schema(of: Item.self, sample: try? ItemEncoder.encode(defaultItem))
        guard let bounds, schema.isNumber else { return schema }
        let type = schema.json["type"]?.stringValue ?? "number"  // without the strings or the object that stand for nan and infinity
        let limits = ["minimum": bounds.lowerBound, "maximum": bounds.upperBound]
        let numbers = JSONSchema(type: type, limits.filter { $0.value.stringValue == nil })
        // An infinite bound is a string, which limits nothing and is itself allowed.
        let words = [bounds.lowerBound, bounds.upperBound].filter { $0.stringValue != nil }
        return words.isEmpty ? numbers : JSONSchema(anyOf: [numbers, JSONSchema(["enum": .array(words)])])
    }

    var bounds: Setting.Bounds? {
        guard let range, let low = try? ItemEncoder.encode(range.lowerBound), let high = try? ItemEncoder.encode(range.upperBound)
        else { return nil }
        return Setting.Bounds(lowerBound: low, upperBound: high)
    }
}

extension PreferencesFile {
    /// The settings that `keys` declare, in their order, as they are at one moment.
    public func settings(of keys: [AnyStoredKey]) -> [Setting] {
        withConsistentValues { keys.map { $0.key.setting(in: self) } }
    }

    /// ``settings(of:)-4d92a`` of the ``standard`` file.
    public static func settings(of keys: [AnyStoredKey]) -> [Setting] { standard.settings(of: keys) }

    /// Throws unless each value of `keys` is read as it is stored, or as an environment variable gives it.
    ///
    /// Throws what ``requireReadable()`` throws, or an error that names every other value and says why: its type, its range or its validation.
    /// An older item that is migrated is no error, nor is one that a custom validation replaces without throwing.
    ///
    /// For a program that should end rather than continue with a default or a last good value, and for health checks. Blocks as ``reload()``
    /// does.
    public func requireValid(_ keys: [AnyStoredKey]) throws(PreferencesError) {
        try requireReadable()
        let (settings, snapshot) = withConsistentValues { (self.settings(of: keys), self.snapshot) }, environment = store.environment
        let problems = zip(keys, settings).compactMap { key, setting -> String? in
            if let problem = environment?.problem(of: key.name) { return problem }
            guard let reason = key.key.problem(with: snapshot[key.name], setting.repairs) else { return nil }
            let place = environment?.variable(of: PreferencesKey(key.name)).map { "The environment variable \($0)" } ?? "\"\(key.name)\""
            return "\(place): \(reason). Correct it."
        }
        guard problems.isEmpty else { throw .notRead(path: path, reason: problems.joined(separator: " ")) }
    }

    /// The settings that `keys` declare now, then all of them again after every change of any: of its value, its source, its repairs, or
    /// whether it is stored. For a settings page that is open while others change the file.
    ///
    /// Iterating subscribes, dropping the iterator unsubscribes. A slow reader gets only the latest.
    public func settingUpdates(of keys: [AnyStoredKey]) -> LiveValues<[Setting]> {
        LiveValues(
            subscribe: { () -> ActiveSubscription<Bool> in store.subscribe(to: keys.map { PreferencesKey($0.name) }, .newest(1)) { true } },
            makeTransform: {
                // Only changes of keys in use are reported: all are in use before any is read for the first element, and stay so.
                let inUse = settings(of: keys)
                var last: [Setting]?
                return { _ in
                    let settings = withExtendedLifetime(inUse) { self.settings(of: keys) }
                    if let last, zip(last, settings).allSatisfy({ $0.isSame(as: $1) }) { return nil }
                    last = settings
                    return settings
                }
            })
    }

    /// The keys in the file itself that none of `keys` declares, sorted; see ``undeclaredKeys(besides:)-1jti1``.
    public func undeclaredKeys(besides keys: [AnyStoredKey]) -> [String] {
        let declared = Set(keys.flatMap { [$0.name] + $0.key.formerKeys }.map { PreferencesKey($0) })
        return self.keys.filter { !declared.contains(PreferencesKey($0)) }
    }

    /// A JSON Schema (2020-12) of a file with these keys, for editors, and for packages that install it.
    ///
    /// What is read without a repair is valid, and so are former names, members that begin with `$`, and undeclared keys. Where nothing
    /// certain is known about a type, the schema allows more. See <doc:SettingsPages#What-the-schema-says>.
    ///
    /// Traps if two of the keys share one environment variable, which would be ignored. Only the ``standard`` file has variables, after
    /// `bootstrap` with a prefix and outside of `withTemporaryStorage`; see <doc:ServiceEnvironment>.
    public func schema(of keys: [AnyStoredKey]) -> JSONValue {
        for (variable, names) in namesByVariable(of: keys) where names.count > 1 {
            let keys = names.map { "\"\($0)\"" }.joined(separator: " and ")
            programmerError("PreferencesFile.schema(of:): the keys \(keys) have one environment variable, \(variable), so that it would be ignored. Rename one of them.")
        }
        return PublishedSchema(properties: declarations(of: keys)).json
    }

    /// Publishes the schema of these keys for this user, so that the tool `stored-values` and editors know them. Call it at a program's
    /// start: it writes only what is new.
    ///
    /// It is in `$XDG_DATA_HOME/<application id>/preferences.schema.json`, by default in `~/.local/share`; of a ``named(_:)`` file in
    /// `<name>.schema.json` there, and of a file that is named by its path beside it. Libraries may publish their keys too: the calls of
    /// one run add up, and replace what this program published before. Other programs' keys stay. A packaged schema can be in the same
    /// folder of `$XDG_DATA_DIRS`.
    ///
    /// A failure is logged, not thrown: no program should end because of it. In `withTemporaryStorage` the schema goes to the temporary
    /// folder; for ``inMemory(_:)`` none is written.
    public func publishSchema(of keys: [AnyStoredKey]) {
        do {
            try schemaRun()?.publish(declarations(of: keys))
        } catch {
            store.report { $0.note("The schema of \"\(path)\" could not be published, so that tools do not know its keys. \(error)") }
        }
    }

    /// The parts of the schema for each key and each former name.
    private func declarations(of keys: [AnyStoredKey]) -> [String: JSONValue] {
        var declarations: [String: JSONValue] = [:]
        for key in keys {
            for former in key.key.formerKeys {
                declarations[former] = [
                    "deprecated": true, "description": .string("Now \"\(key.name)\"."), PublishedSchema.renamedMember: .string(key.name),
                ]
            }
        }
        for key in keys { declarations[key.name] = key.key.declaration }
        for (variable, names) in namesByVariable(of: keys) where names.count == 1 {
            declarations[names[0]]?[PublishedSchema.variableMember] = .string(variable)
        }
        return declarations
    }

    /// The names of these keys by their environment variable; empty if this file takes no values from variables.
    private func namesByVariable(of keys: [AnyStoredKey]) -> [String: [String]] {
        guard let variables = store.environment?.variables else { return [:] }
        return Dictionary(grouping: keys.map(\.name).distinctKeys) { variables.name(of: $0) }
    }
}
