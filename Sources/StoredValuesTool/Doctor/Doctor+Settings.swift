import FoundationEssentials
import StoredValues
import StoredValuesFiles
import StoredValuesSupport
import StoredValuesToolSupport

extension Doctor {
    /// Checks the files of settings. Throws if there is no place for them.
    ///
    /// - Parameter application: The id of the program, if the file is named by that.
    mutating func check(_ storage: PreferencesFile, of application: String?) throws(PreferencesError) {
        let inspections = try storage.inspect()
        guard let file = inspections.first else { return }
        checkOwn(file)
        for layer in inspections.dropFirst() { check(layer) }
        if let mirror = inspections.first(where: { $0.source == .fleet }) { checkFleet(mirror, storage, file.path) }
        checkDeclared(storage, file.path)
        if let application {
            checkEnvironment(of: storage)
            checkFlatpaks(application, except: file.path)
        }
    }

    /// Checks the program's other files.
    mutating func checkNamed() throws(PreferencesError) {
        let program = options
        for name in try PreferencesFile.names {
            section = "Settings \"\(name)\""
            options = program + SettingsOptions.option("name", name, "name")
            try check(.named(name), of: nil)
        }
    }

    /// Checks the variables of this environment that have values of the file, if a program has published which.
    private mutating func checkEnvironment(of storage: PreferencesFile) {
        guard let declared = storage.publishedSchema() else { return }
        let variables = declared.variables
        for (key, variable) in variables {
            let misfit: String?
            do throws(VariableNotUTF8) {
                guard let text = try environmentVariable(variable) else { continue }
                misfit = declared.misfit(typed: text, for: key)
            } catch {
                misfit = "it is not UTF-8"
            }
            if let misfit {
                add(.problem, "\(variable) in this environment is no value for \"\(key)\": \(misfit). Correct or unset it.")
            } else {
                add(.note, "\(variable) in this environment has the value of \"\(key)\". Programs that start here cannot change it.")
            }
        }
        let known = variables.map(\.variable)
        for prefix in declared.prefixesOfVariables {
            for variable in environmentVariables(withPrefix: prefix).keys.sorted() where !known.contains(variable) {
                add(.note, "\(variable) in this environment is of no key that a program declares.")
            }
        }
    }

    private mutating func checkOwn(_ file: PreferencesInspection) {
        switch file.content {
        case .missing:
            add(.fine, "\(file.path) does not exist yet: programs use defaults, and create it when a setting is first changed.")
        case .keys(let count): add(.fine, "\(file.path) holds \(count.counted("key")) and has mode \(file.mode.modeText).")
        case .unreadable(let sentence): add(.problem, sentence)
        case .broken(let why):
            add(.problem, "\(file.path) is not JSON: \(why). Programs use the last good values, and defaults where there are none. Correct it with: stored-values edit\(options)")
        }
        checkMode(file.mode, of: file.path)
        let folder = Self.nearestFolder(of: file.path)
        if !System.mayWrite(folder) {
            add(.problem, "Settings cannot be changed: you have no permission to write in \(folder). Check its owner and mode: ls -ld \(folder)")
        }
        let start = "\(file.path.parts(separatedBy: "/").last ?? file.path).rejected-"
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() where name.after(prefix: start) != nil {
            add(.note, "A settings file that was not JSON was set aside as \(folder)/\(name). Recover what you need from it, then delete it.")
        }
    }

    private mutating func check(_ layer: PreferencesInspection) {
        let isFleet = layer.source == .fleet
        let values = isFleet ? "settings of the fleet" : "system-wide defaults"
        switch layer.content {
        case .missing: add(.fine, "\(layer.path) does not exist: no \(values) come from it.")
        case .keys(let count): add(.fine, "\(layer.path) has \(values) for \(count.counted("key")) and mode \(layer.mode.modeText).")
        case .broken(let why):
            let advice = isFleet ? "Restart the agent, which rewrites the file." : "Correct the file."
            add(.problem, "The \(values) in \(layer.path) are not used: they are not JSON: \(why). \(advice)")
        case .unreadable(let sentence): add(.problem, "The \(values) are not used. \(sentence)")
        }
    }

    /// Checks how fresh the settings are that this machine shares with others, and what hides them.
    private mutating func checkFleet(_ mirror: PreferencesInspection, _ storage: PreferencesFile, _ path: String) {
        // A file that cannot be read is a finding already.
        switch (mirror.content, storage.fleetStatus) {
        case (.broken, _), (.unreadable, _), (_, .none): break
        case (_, .never): add(.problem, "\(FleetStatus.never) \(storage.fleetComplaint ?? "Check the agent's log.")")
        case (_, let status):
            if case .current = status { add(.fine, status.description) } else { add(.problem, status.description) }
        }
        let keys = storage.snapshot.keys(hiding: .fleet), limit = 20
        guard let first = keys.first else { return }
        let names = keys.prefix(limit).joined(separator: ", ") + (keys.count > limit ? " and \(keys.count - limit) more" : "")
        let advice = "To use the fleet's\(keys.count > 1 ? ", for each of them" : ""): \(reset(first))"
        add(.note, "Values of \(path) override the fleet's values: \(names). \(advice)")
    }

    /// Checks that the values can be read, and them and the keys by what programs declare, if they have published that.
    private mutating func checkDeclared(_ storage: PreferencesFile, _ path: String) {
        let snapshot = storage.snapshot
        func place(of key: String) -> String { snapshot.source(of: key) == .file ? " in \(path)" : "" }
        for key in snapshot.keys where snapshot[key] == nil {
            let advice = snapshot.source(of: key) == .file ? "remove it with: \(reset(key))" : "correct it where it is stored."
            add(.problem, "\"\(key)\"\(place(of: key)) has \(JSONSyntaxError.unpairedSurrogate), and no program can read it. Set it again, or \(advice)")
        }
        guard let schema = storage.pathOfPublishedSchema, let declared = storage.publishedSchema() else { return }
        add(.fine, "\(schema) declares \(declared.currentKeys.count.counted("key")).")
        for key in snapshot.keys {
            let place = place(of: key)
            if declared.name(replacing: key) == nil, let problem = declared.problem(with: key) {
                add(.note, "\"\(key)\"\(place) is unknown. \(problem)")
            } else if let value = snapshot[key], let misfit = declared.misfit(value, for: key) {
                add(.problem, "\"\(key)\"\(place) is not as programs read it: \(misfit). Set it again, or remove it with: \(reset(key))")
            }
        }
    }

    /// Looks for files in which Flatpaks keep settings of the program `id`: each has a configuration folder of its own.
    private mutating func checkFlatpaks(_ id: String, except path: String) {
        guard let home = try? System.environment("HOME"), home.begins(with: "/") else { return }
        let folder = "\(home)/.var/app"
        for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
            let file = "\(folder)/\(name)/config/\(id)/preferences.json"
            guard file != path, FileManager.default.fileExists(atPath: file) else { continue }
            add(.note, "The Flatpak \(name) keeps settings of its own in \(file). Check it with: stored-values doctor --file \(file)")
        }
    }

    /// The command that removes the value.
    private func reset(_ key: String) -> String { "stored-values reset \(key.isPlainWord ? key : "<key>")\(options)" }

    /// The folder that the file is in, or would be created in.
    private static func nearestFolder(of path: String) -> String {
        var folder = ResolvedPath.folder(of: path)
        while folder != "/", !FileManager.default.fileExists(atPath: folder) { folder = ResolvedPath.folder(of: folder) }
        return folder
    }

    /// Checks that nobody else can change the file.
    mutating func checkMode(_ mode: UInt32, of path: String) {
        guard mode & 0o022 != 0 else { return }
        add(.problem, "Other users can change \(path), which has mode \(mode.modeText). Prevent that: chmod go-w \(path)")
    }
}

extension UInt32 {
    /// The permission bits in the notation of chmod(1).
    var modeText: String { String("000\(String(self, radix: 8))".suffix(4)) }
}
