import ArgumentParser
import StoredValues
import StoredValuesToolSupport

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the settings and the keyring: what is read from where, what is wrong, and how to fix it.",
        discussion: """
            Changes and starts nothing, and reads no secret. The exit status is 1 if there is a problem. Without --app, \
            only the keyring is checked.
            """)

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        var findings: [Finding] = []
        let isAboutSettings = settings.file != nil || settings.application.id != nil
        if isAboutSettings {
            let application = settings.file == nil ? settings.application.id : nil
            findings += try SettingsDoctor.findings(settings.storage(), of: application)
        }
        findings += await KeyringDoctor.findings(service: settings.application.id)
        if json {
            Output.standard.json(Finding.json(findings))
        } else {
            Finding.print(findings)
            if !isAboutSettings {
                Output.standard.line("\nFor the settings of a program, name it: stored-values doctor --app <id>")
            }
        }
        guard !findings.contains(where: { $0.kind == .problem }) else { throw Failure(.absent, nil) }
    }
}
