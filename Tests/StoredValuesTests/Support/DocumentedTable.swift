import Foundation
import Testing

/// A table whose columns, but for the first one, have Swift between backticks, which is compiled. What begins with a slash or is a line for
/// a shell is none.
struct DocumentedTable {
    /// The table, as it is written.
    let table: Substring
    /// What the Swift works on: declarations, of which `Program` is one. The table declares it in part, and for the rest its names say what
    /// it is.
    private let surroundings: String
    /// The line of the page on which it begins.
    private let line: Int

    /// The table of `page` that has this first line; nil where there is none.
    init?(in page: String, header: String, surroundings: String) {
        guard let start = page.range(of: header + "\n")?.lowerBound else { return nil }
        let rest = page[start...]
        table = rest[..<(rest.range(of: "\n\n")?.lowerBound ?? rest.endIndex)]
        line = page[..<start].count { $0 == "\n" } + 1
        self.surroundings = surroundings
    }

    /// What is between backticks, with the number of its line and its own in that line. Links to symbols have two.
    private var code: [(text: String, line: Int, number: Int)] {
        table.split(separator: "\n").enumerated().flatMap { offset, row in
            let columns = row.split(separator: "|").dropFirst().joined(separator: " ").replacing(/``[^`]+``/, with: "")
            return columns.matches(of: /`([^`]+)`/).enumerated().map { (String($1.1), offset, $0) }
        }
    }

    private static func isCommand(_ text: String) -> Bool { text.hasPrefix("stored-values ") }

    /// The lines for a shell, as words.
    var commands: [[String]] { code.map(\.text).filter(Self.isCommand).map { $0.split(separator: " ").map(String.init) } }

    /// All of its Swift as a program, each piece in the place that it is for; of at least so many pieces.
    func program(in page: String, atLeast count: Int) -> String {
        let pieces = code.filter { !Self.isCommand($0.text) && !$0.text.hasPrefix("/") }
        #expect(pieces.count >= count, "the table's code is not found")
        return pieces.reduce(surroundings) { program, piece in
            program + "#sourceLocation(file: \"\(page)\", line: \(line + piece.line))\n"
                + Self.placed(piece.text, as: "Row\(piece.line)_\(piece.number)") + "\n#sourceLocation()\n"
        }
    }

    private static func placed(_ code: String, as name: String) -> String {
        if code.hasPrefix("extension ") || code.hasPrefix("enum ") || code.hasPrefix("@Suite") { return code }
        if code.hasPrefix("@ObservationIgnored") { return "@Observable final class \(name) { \(code) }" }
        if code.hasPrefix("@") { return "actor \(name) { \(code) }; struct \(name)Struct { \(code) }; final class \(name)Class { \(code) }" }
        if code.hasPrefix("static ") { return "enum \(name) { \(code) }" }
        if code.hasPrefix("let ") { return "final class \(name): Sendable { \(code) }" }
        return "extension Program { func \(name)() async throws { \(code) } }"
    }
}

extension DocumentedTable {
    /// The README's table of operations.
    static func operations(in page: String) -> DocumentedTable? {
        DocumentedTable(
            in: page, header: "| | A setting | A secret |",
            surroundings: """
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


                """)
    }

    /// The tables of "Coming from other libraries" that have code on both sides, by the name of the library.
    static func calls(of library: String, in page: String) -> DocumentedTable? {
        DocumentedTable(
            in: page, header: "| \(library) | Here |",
            surroundings: """
                import StoredValues
                import StoredValuesTesting
                import Testing

                struct Window: Codable { var width = 800 }
                struct Meeting: Codable { var title = "" }
                let memory = PreferencesFile.inMemory()

                struct Program: Sendable {
                    @StoredValue(key: "count") var count = 0
                    @StoredValue(key: "limit") var limit = 60
                    @StoredValue(key: "width") var width = 800
                    @StoredValue(key: "height") var height = 600
                    @StoredValue(key: "window") var window = Window()
                    @StoredValue(key: "meeting") var meeting = Meeting()
                }


                """)
    }
}
