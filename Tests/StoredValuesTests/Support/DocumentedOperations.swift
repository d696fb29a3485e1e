import Foundation
import Testing

/// The table of operations that the README and the landing page share: what is between backticks in its second and third column is
/// Swift.
struct DocumentedOperations {
    /// The table, as it is written.
    let table: Substring
    /// The line of the page on which it begins.
    private let line: Int

    /// The table of `page`; nil where there is none.
    init?(in page: String) {
        guard let start = page.range(of: "| | A setting | A secret |\n")?.lowerBound else { return nil }
        let rest = page[start...]
        table = rest[..<(rest.range(of: "\n\n")?.lowerBound ?? rest.endIndex)]
        line = page[..<start].count { $0 == "\n" } + 1
    }

    /// What the operations work on. The table declares it in part, and for the rest its names say what it is.
    private static let surroundings = """
        import Observation
        import StoredValues

        enum Theme: String, Codable { case light, dark }
        struct Window: Codable { var width = 800 }
        struct Account: Codable { var name = "" }

        struct Program: Sendable {
            @StoredValue(key: "theme") var theme = Theme.light
            @StoredValue(key: "limit") var limit = 60
            @StoredValue(key: "autosave") var autosave = true
            @StoredValue(key: "window") var window = Window()
            @StoredValue(key: "recent") var recent: [String] = []
            @StoredValue(key: "shortcuts") var shortcuts: [String: String] = [:]
            @StoredValue(key: "width") var width = 800
            @StoredValue(key: "height") var height = 600
            @SecurelyStoredValue(key: "token") var token: String?
            @SecurelyStoredValue(key: "isPaid") var isPaid: Bool?
            @SecurelyStoredValue(key: "account") var account: Account?
            let name = "left"

            func signIn() async throws {}
        }

        @Sendable func checkName(_ name: String) throws -> String { name }
        @Sendable func refresh(_ token: String?) async throws -> String? { token }


        """

    /// All of its Swift as a program, each piece in the place that it is for.
    func program(in page: String) -> String {
        var program = Self.surroundings, count = 0
        for (offset, row) in table.split(separator: "\n").enumerated() {
            let columns = row.split(separator: "|").dropFirst().joined(separator: " ")
            for (number, match) in columns.matches(of: /`([^`]+)`/).enumerated() {
                count += 1
                program += "#sourceLocation(file: \"\(page)\", line: \(line + offset))\n"
                program += Self.placed(String(match.1), as: "Row\(offset)_\(number)") + "\n#sourceLocation()\n"
            }
        }
        #expect(count > 40, "the table's code is not found")
        return program
    }

    private static func placed(_ code: String, as name: String) -> String {
        if code.hasPrefix("extension ") { return code }
        if code.hasPrefix("@ObservationIgnored") { return "@Observable final class \(name) { \(code) }" }
        if code.hasPrefix("@") { return "actor \(name) { \(code) }; struct \(name)Struct { \(code) }; final class \(name)Class { \(code) }" }
        if code.hasPrefix("static ") { return "enum \(name) { \(code) }" }
        if code.hasPrefix("let ") { return "final class \(name): Sendable { \(code) }" }
        return "extension Program { func \(name)() async throws { \(code) } }"
    }
}
