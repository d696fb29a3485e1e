import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the settings, the items and the keyring: what is read from where, what is wrong, and how to fix it.",
        discussion: """
            Changes and starts nothing, and reads no secret. The exit status is 1 if there is a problem. Without --app, \
            only the keyring is checked. Run in the environment of a service, it names the variables that have values of its \
            settings, if the service has published its keys.
            """)

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        var doctor = Doctor()
        let id = try settings.application.id, isAboutSettings = settings.file != nil || id != nil
        // Beside a file named by its path the keyring is still the program's.
        if settings.file != nil, id != nil { try settings.application.bootstrap() }
        if isAboutSettings {
            let storage = try settings.storage()
            doctor.options = settings.typed
            do throws(PreferencesError) {
                try doctor.check(storage, of: settings.isStandard ? id : nil)
                if settings.isStandard { try doctor.checkNamed() }
            } catch {
                doctor.add(.problem, error.description)
            }
            if settings.isStandard { doctor.checkStores() }
        }
        await doctor.checkKeyring(service: id)
        doctor.print(asJSON: json)
        if !json, !isAboutSettings { Output.standard.line("\nFor the settings of a program, name it: stored-values doctor --app <id>") }
        if doctor.hasProblem { throw ExitCode(ExitStatus.absent.rawValue) }
    }
}

/// Checks what programs use, and collects what it finds.
struct Doctor {
    enum Kind: String {
        /// As it should be.
        case fine = "ok"
        /// Worth knowing.
        case note
        /// Must be fixed.
        case problem = "PROBLEM"
    }

    /// What the findings are about from now on.
    var section = "Settings"
    /// The options that name the file which is checked, for the commands that are advised.
    var options = ""
    private(set) var findings: [(section: String, kind: Kind, text: String)] = []

    mutating func add(_ kind: Kind, _ text: String) { findings.append((section, kind, text)) }

    var hasProblem: Bool { findings.contains { $0.kind == .problem } }

    /// Prints all findings: by section, each on one line, or as a JSON object.
    func print(asJSON: Bool) {
        let output = Output.standard
        guard !asJSON else { return output.json(json) }
        let styles: [Kind: Output.Style] = [.fine: .green, .note: .yellow, .problem: .red]
        var last: String?
        for (section, kind, text) in findings {
            if let last, last != section { output.line() }
            if last != section { output.line(output.styled(output.oneLine(section), .bold)) }
            last = section
            let mark = kind.rawValue.padded(to: Kind.problem.rawValue.count)
            output.line("  \(output.styled(mark, styles[kind] ?? .bold))  \(output.oneLine(text))")
        }
    }

    private var json: JSONValue {
        let list = findings.map { section, kind, text -> JSONValue in
            ["section": .string(section.lowercased()), "kind": .string(kind.rawValue.lowercased()), "text": .string(text)]
        }
        return ["ok": .bool(!hasProblem), "findings": .array(list)]
    }
}
