import Foundation

/// The programs that are built along with the tests.
enum BuiltProgram {
    /// The path of the one called `name`. All are built into the tests' own folder, whatever that is.
    static func path(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
    }
}
