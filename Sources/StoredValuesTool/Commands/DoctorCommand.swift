import ArgumentParser
import StoredValues

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Say what is read and from where, what is the matter, and what to do about it.",
        discussion: """
            Nothing is changed or started, and no secret is read. The status is 1 when something needs you. Without \
            --app only the keyring is looked at.
            """)

    @OptionGroup var settings: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        var findings: [Finding] = []
        let isAboutSettings = settings.file != nil || settings.application.id != nil
        if isAboutSettings { findings += try SettingsDoctor.findings(settings.storage()) }
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
