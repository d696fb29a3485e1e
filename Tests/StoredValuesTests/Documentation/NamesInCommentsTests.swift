import Foundation
import Testing

@Suite("Names in comments", .hangLimit)
struct NamesInCommentsTests {}

extension NamesInCommentsTests {
    /// Names that no code of the sources has: those of compilers, of other packages and systems, and of the tests.
    private static let foreign: Set<String> = [
        "BoringSSL", "ChaCha20", "ConfigReader", "EDITOR_", "EDITOR_MAX_CONNECTIONS", "F_OFD_GETLK", "F_OFD_SETLK", "GDBusConnection",
        "GVariant", "HTTP_MAX_CONNECTIONS", "MandatoryAllocBoxToStack", "ObservationIgnored", "O_PATH", "SecretValue", "SipHash", "SwiftNIO", "api.token", "didSet",
        "fetchString(forKey:)", "g_wakeup_new", "gRPC", "gh", "http.maxConnections", "maxConnections", "quotaApplierV3", "requiredString(forKey:)",
        "string(forKey:)", "timeLimit", "watchBatchMaxRevs", "willSet",
    ]

    private static func unknown(in sources: [CommentedSource]) -> [CommentedSource.Mention] {
        let names = CommentedSource.Names(of: sources)
        return sources.flatMap(\.mentions).filter { !names.have($0.name, isSymbol: $0.isSymbol) }
    }

    @Test("Every name in a comment of the sources is in their code, with these labels, or belongs to somebody else")
    func sources() throws {
        let folder = DocumentedPage.root.path + "/Sources/"
        let paths = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        let sources = try paths.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.map { path in
            CommentedSource(path: path, text: try contents(ofFile: folder + path))
        }
        #expect(sources.map(\.mentions.count).reduce(0, +) > 1000, "the names are not found")
        let unknown = Self.unknown(in: sources)
        for mention in unknown where !Self.foreign.contains(mention.name) {
            Issue.record("\(mention.place) names \(mention.name), which no code has")
        }
        let idle = Self.foreign.subtracting(unknown.map(\.name))
        #expect(idle.isEmpty, "no comment needs these exceptions any more")
    }

    @Test("A name that is gone is found: a type, a member, a label, with backticks and without")
    func finds() {
        let text = """
            /// As ``Door/open(with:)``, `close(_:)` and ``Door/isOpen``, but not ``Door/width``, ``Gate`` or ``open(by:)``.
            /// ```swift
            /// let notSeen = 1
            /// ```
            struct Door {
                var isOpen: Bool  // until oldName() was called; `formerName` knows, and so does FormerType
                func open(with key: (any Key)?, _ others: [Int: String] = [:]) {}
                func open(with key: Int) { "https://notAComment" }
                func close(_ hard: Bool = false) { wide.width() }
            }
            """
        let unknown = Self.unknown(in: [CommentedSource(path: "Door.swift", text: text)])
        #expect(Set(unknown.map(\.name)) == ["Door/width", "Gate", "open(by:)", "oldName", "formerName", "FormerType"])
        #expect(unknown.first?.place == "Door.swift:1")
    }
}
