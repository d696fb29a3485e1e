package import ArgumentParser
import FoundationEssentials
import StoredValues
import StoredValuesSupport

/// The program that a command is about.
package struct ApplicationOptions: ParsableArguments {
    package static let variable = "STORED_VALUES_APP"

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The program's application id; by default \(variable) in the environment.", valueName: "id"),
        completion: .custom { _, _, _ in knownApplications().completions })
    package var app: String?

    package init() {}

    package func validate() throws {
        guard let app, !Self.isProper(app) else { return }
        throw ValidationError("\"\(app)\" is not a valid application id: it must not be empty, begin with a dot or contain a slash.")
    }

    /// The application id, if given.
    package var id: String? { Self.id(app) }

    /// The application id in `app` or the environment, if it is valid.
    package static func id(_ app: String?) -> String? {
        (app ?? (try? System.environment(variable))).flatMap { isProper($0) ? $0 : nil }
    }

    /// The application id, which must be given.
    package func requiredID() throws -> String {
        if let id { return id }
        throw Failure(.usage, "Name the program: --app <id>, or \(Self.variable)=<id> in the environment. Its id is the name of its folder in ~/.config.")
    }

    /// Makes this process read and write as that program.
    package func bootstrap() throws { StorageSystem.bootstrap(applicationID: try requiredID()) }

    private static func isProper(_ id: String) -> Bool {
        !id.isEmpty && !id.begins(with: ".") && !id.has("/")
    }

    /// The programs that have settings in this user's folder.
    private static func knownApplications() -> [String] {
        func path(_ variable: String) -> String? { (try? System.environment(variable)).flatMap { $0.begins(with: "/") ? $0 : nil } }
        guard let folder = path("XDG_CONFIG_HOME") ?? path("HOME").map({ "\($0)/.config" }) else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { FileManager.default.fileExists(atPath: "\(folder)/\($0)/preferences.json") }.sorted()
    }
}
