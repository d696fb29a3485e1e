import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all settings and their values.",
        discussion: """
            Values from the fleet and from the system-wide defaults are marked. Defaults in a program's code are shown with --all, \
            if the program has published its keys. In a pipe or file, each setting is one line: the key, a tab, and the value as \
            JSON; a line break in a key is written as \\n.
            """)

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Show also the settings that programs declare and that are not stored, with their defaults.") var all = false
    @Flag(help: "Print the names of the program's other settings files instead; --name takes one.") var names = false
    @Flag(help: "Print one JSON object, or of names a list.") var json = false

    func validate() throws {
        guard !names || (!all && settings.isStandard) else {
            throw ValidationError("--names is about a program: --all, --name and --file do not go with it.")
        }
    }

    func run() async throws {
        guard !names else {
            try settings.application.bootstrap()
            return Output.standard.names(try PreferencesFile.names, asJSON: json)
        }
        let storage = try settings.soundStorage()
        let snapshot = storage.snapshot
        let declared = all ? storage.publishedSchema() : nil
        if all, declared == nil { Output.error.note("No program has published which settings it has, so only stored ones are shown.") }
        let known = (snapshot.keys + (declared?.currentKeys ?? [])).distinctKeys
        let values = known.compactMap { key in
            (snapshot.source(of: key) == nil ? declared?.defaultValue(of: key) : snapshot[key]).map { (key: key, value: $0) }
        }
        for key in snapshot.keys where snapshot[key] == nil {
            Output.error.note("\"\(key)\" cannot be read; stored-values get says why.")
        }
        guard !json else { return Output.standard.json(values) }
        let remarks: [ValueSource: String] = [.fleet: "fleet", .system: "system-wide default"]
        Output.standard.rows(values.map { key, value in (key, value, snapshot.source(of: key).map { remarks[$0] ?? "" } ?? "default", nil) })
    }
}

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the value of a setting.",
        discussion: "A string is printed without quotes, any other value as JSON. The exit status is 1 if nothing is stored.")

    @Argument(help: "The setting.") var key: KeyArgument
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print strings as JSON too, in quotes.") var json = false

    func run() async throws {
        let key = try key.checked()
        let storage = try settings.soundStorage()
        let snapshot = storage.snapshot, value: JSONValue?
        do { value = try snapshot.value(of: key) } catch {
            let place = snapshot.source(of: key) == .file ? " in \"\(storage.path)\"" : ""
            throw Failure(.badData, "\"\(key)\"\(place) has \(error.problem) and cannot be read, so programs use their default. Set the value again, or correct it where it is stored.")
        }
        guard let value else {
            HeldLog.letGo()  // a layer that could not be read may have it
            throw Failure(.absent, "Nothing is stored under \"\(key)\" in \"\(storage.path)\": programs use their default.")
        }
        Output.standard.value(value, asJSON: json)
    }
}

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Store a value; it is on the disk when the command returns.",
        discussion: """
            JSON is stored as such: 14, true, "14", {"width": 800}. Anything else is stored as a string: dark. If the program \
            has published its keys, a key that it does not have and a value that it cannot read are refused. Programs \
            that use the setting see the change at once. Put -- before a value that begins with a dash: set offset -- \
            -5
            """)

    @Argument(help: "The setting.") var key: KeyArgument
    @OptionGroup var value: ValueArgument
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Store it even if no program declares the key, or none can read the value.") var force = false

    func run() async throws {
        let key = try key.checked()
        let storage = try settings.soundStorage()
        let declared = storage.publishedSchema()
        let value = try value.json(of: key, declared: declared)
        if !force { try declared?.check(value, for: key) }
        let old = storage.snapshot[key]
        storage.set(key, to: value)
        try await storage.flush()
        ValueArgument.note(key, replacing: old, with: value)
    }
}

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Remove a setting, so that its default is used again.",
        discussion: """
            The default is the fleet's value, the system-wide one, or the one in the program. Resetting a setting that is not \
            stored succeeds. With --all, you are asked first on a terminal, unless --yes is given.
            """)

    @Argument(help: "The setting.") var key: KeyArgument?
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Remove all settings of the file.") var all = false
    @Flag(help: "Do not ask for confirmation of --all.") var yes = false

    func validate() throws {
        guard (key != nil) != all else { throw ValidationError("Give either the setting or --all.") }
        guard all || !yes else { throw ValidationError("--yes requires --all: a single setting is removed without confirmation.") }
    }

    func run() async throws {
        guard let key = try key?.checked() else { return try await removeAll() }
        let storage = try settings.soundStorage()
        storage.reset(key)
        try await storage.flush()
    }

    private func removeAll() async throws {
        let storage = try settings.soundStorage()
        let keys = storage.keys
        guard !keys.isEmpty else { return Output.error.line("Nothing is stored.") }
        if !yes { try Question.confirm("This removes from \"\(storage.path)\": \(keys.joined(separator: ", ")).", orElse: "Nothing was removed.") }
        // As one change, so that exactly these are removed, whatever is written meanwhile.
        let removed = storage.batch {
            let keys = storage.keys
            storage.resetAll()
            return keys
        }
        try await storage.flush()
        Output.error.line("Removed: \(Output.error.oneLine(removed.joined(separator: ", ")))")
    }
}

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print values now and after each change, until interrupted.",
        discussion: """
            For one setting, each line is its value, or empty while nothing is stored. For all settings, each line is a \
            key, a tab and the value, or only the key after it was removed. With --json each line is an object: {"key": \
            "theme", "value": "dark"}, without a value after it was removed.
            """)

    @Argument(help: "The setting; all settings if omitted.") var key: KeyArgument?
    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print one JSON object per line.") var json = false

    func run() async throws {
        let key = try key?.checked()
        let storage = try settings.soundStorage()
        var last: [PreferencesKey: JSONValue] = [:]
        var isFirst = true
        for await _ in storage.changes {
            let snapshot = storage.snapshot
            let keys = key.map { [$0] } ?? (snapshot.keys + last.keys.map(\.text)).distinctKeys
            for key in keys where snapshot[key] != last[PreferencesKey(key)] || (isFirst && self.key != nil) {
                show(key, snapshot[key])
            }
            last = Dictionary(keys.compactMap { key in snapshot[key].map { (PreferencesKey(key), $0) } }) { _, last in last }
            isFirst = false
            HeldLog.letGo()  // the command may never end
        }
    }

    private func show(_ key: String, _ value: JSONValue?) {
        if json {
            var change: JSONValue = ["key": .string(key)]
            change["value"] = value
            return Output.standard.line(Output.standard.shownJSON(change.text(onOneLine: true)))
        }
        let text = Output.standard.shownJSON(value?.text(onOneLine: true) ?? "")
        guard self.key == nil else { return Output.standard.line(text) }
        let shownKey = Output.standard.styled(Output.standard.oneLine(key), .bold)
        Output.standard.line(value == nil ? shownKey : "\(shownKey)\t\(text)")
    }
}

struct PathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the path of the settings file, whether or not it exists.")

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print JSON, with the paths of the fleet's settings, the system-wide defaults and the program's other settings files.") var json = false

    func run() async throws {
        let inspections = try settings.storage().inspect(), names = settings.isStandard ? try PreferencesFile.names : []
        func paths(_ source: ValueSource) -> [String] { inspections.filter { $0.source == source }.map(\.path) }
        let path = paths(.file).first ?? ""
        guard json else { return Output.standard.line(Output.standard.shown(path)) }
        var answer: JSONValue = ["path": .string(path), "system-wide": .array(paths(.system).map { .string($0) })]
        answer["fleet"] = paths(.fleet).first.map { .string($0) }
        let named = names.map { ($0, JSONValue.string(PreferencesFile.named($0).path)) }
        if !named.isEmpty { answer["named"] = .object(Dictionary(named) { first, _ in first }) }
        Output.standard.json(answer)
    }
}
