import Foundation

/// The programs that are built along with the tests.
enum BuiltProgram {
    /// The path of the one called `name`. All are built into the tests' own folder, whatever that is; only a TestProcess that
    /// was built otherwise, such as with a sanitizer, is named by a variable.
    static func path(_ name: String) throws -> String {
        if name == "TestProcess", let path = ProcessInfo.processInfo.environment["STORED_VALUES_TEST_PROCESS"] { return path }
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
    }
}
