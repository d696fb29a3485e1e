import Foundation

/// The Python environment that `Tests/run` makes, with the packages of `Tests/requirements.txt`.
enum Python {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let interpreter = package.path + "/.build/python/bin/python3"

    /// False where the environment is missing and this is not continuous integration: there it is a failure.
    static let isAvailable =
        FileManager.default.isExecutableFile(atPath: interpreter) || ProcessInfo.processInfo.environment["CI"] == "true"

    /// What a skipped test says.
    static let skipReason = "there is no \(interpreter): Tests/run makes it"

    /// The command that runs a program of `Tests/Programs` with these arguments, for a shell.
    static func command(_ program: String, _ arguments: String...) -> String {
        ([interpreter, "\(package.path)/Tests/Programs/\(program)"] + arguments).map { "'\($0)'" }.joined(separator: " ")
    }
}
