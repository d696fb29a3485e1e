import Foundation
import Testing

@Suite("Walls")
struct WallsTests {}

extension WallsTests {
    private static let sources = DocumentedPage.root.path + "/Sources/"

    private func files() throws -> [(path: String, text: String)] {
        let paths = try #require(FileManager.default.enumerator(atPath: Self.sources)).compactMap { $0 as? String }
        return try paths.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.sorted().map { path in
            (path, try contents(ofFile: Self.sources + path))
        }
    }

    // MARK: Modules

    /// What each module of the library may import of this package.
    private static let modules: [String: Set<String>] = [
        "StoredValuesSupport": ["CStoredValues"],
        "StoredValuesFiles": ["CStoredValues", "StoredValuesSupport"],
        "StoredValuesSecretService": ["CSecret", "CStoredValues", "StoredValuesSupport"],
        "StoredValues": ["CSodium", "StoredValuesFiles", "StoredValuesSecretService", "StoredValuesSupport"],
    ]

    @Test("Each module imports only those below it and shows none of them, and libsecret's headers have one door")
    func imports() throws {
        let known = Set(Self.modules.keys).union(Self.modules.values.joined())
        for file in try files() {
            let allowed = Self.modules[String(file.path.prefix { $0 != "/" })] ?? known.subtracting(["CSecret", "CSodium"])
            for line in Self.code(file.text).split(separator: "\n").filter({ $0.contains("import ") }) {
                guard let name = line.split(separator: " ").last.map(String.init), known.contains(name) else { continue }
                #expect(allowed.contains(name), "\(file.path) imports \(name)")
                let isShown = line.contains("public ") || line.contains("@_")
                // What a program inlines names the lock's module; `hiddenModules` proves that the program does not see it.
                let isInlined = name == "StoredValuesSupport" && ["/ReadyItem.swift", "/ReadyItems.swift"].contains { file.path.hasSuffix($0) }
                #expect(!isShown || isInlined || name == "StoredValues", "\(file.path) shows \(name) to those who import it")
            }
        }
    }

    @Test("SQLite and GRDB have one door")
    func database() throws {
        let users = try files().filter { Self.code($0.text).contains(/import (GRDB|SQLite3|GRDBSQLite)/) }.map(\.path)
        #expect(!users.isEmpty && users.allSatisfy { $0.hasPrefix("StoredValuesStore/Database/") }, "\(users)")
    }

    @Test("import StoredValues exposes nothing of the modules below it: no type, no function, no member of another's type")
    func hiddenModules() async throws {
        let code = try files().filter { Self.modules[String($0.path.prefix { $0 != "/" })] != nil && !$0.path.hasPrefix("StoredValues/") }
            // What is left out without a trait stands four columns further in.
            .map { Self.code($0.text.hasPrefix("#if Libsecret") ? $0.text.replacing(/(?m)^ {4}/, with: "") : $0.text) }
            .joined(separator: "\n")
        let declaration = /(?m)^(?:[@a-z]+ )*(?:class|struct|enum|protocol|actor|typealias|func|let|var) (\w+)/
        let names = Set(code.matches(of: declaration).map { String($0.1) }).sorted()
        #expect(names.contains("Guarded") && names.contains("DurableFile") && names.contains("programmerError"))
        let complaints = try await withTemporaryFolder { folder in
            let path = folder + "/Uses.swift"
            let uses = names.map { "func use\($0)() { _ = \($0).self }" }
            try uses.joined(separator: "\n").appending("\nimport StoredValues").write(toFile: path, atomically: false, encoding: .utf8)
            return try await TypeChecker().check([path], ["-wmo", "-parse-as-library"], in: folder).errors.split(separator: "\n")
        }
        for (number, name) in names.enumerated() {
            let message = "/Uses.swift:\(number + 1):"
            #expect(complaints.contains { $0.contains(message) && $0.contains("error: cannot find '\(name)' in scope") }, "\(name)")
        }
        // Members are found without an import of one's own, so it is their access that hides them.
        for part in code.matches(of: /(?ms)^extension (\w+).*?^\}/) where !names.contains(String(part.1)) {
            #expect(!part.0.contains("public "), "\(part.0)")
        }
    }

    @Test("Every file that needs libsecret, and that module's every file, is left out as a whole without the trait")
    func wholeFiles() throws {
        let module = "StoredValuesSecretService"
        for file in try files() where file.path.hasPrefix(module) || file.text.contains(/import (CSecret|StoredValuesSecretService)/) {
            #expect(file.text.hasPrefix("#if Libsecret\n") && file.text.hasSuffix("#endif\n"), "\(file.path)")
        }
    }

    @Test("No timer is Dispatch's, which traps without file descriptors, and GLib's contexts and threads are made only where there are some")
    func descriptors() throws {
        for file in try files() {
            let code = Self.code(file.text)
            #expect(!code.contains(/asyncAfter|makeTimerSource|g_thread_new/), "\(file.path)")
            #expect(!code.contains("g_main_context_new") || file.path.hasSuffix("/ServiceThread.swift"), "\(file.path)")
        }
    }

    // MARK: Rooms

    /// What the files in each folder of StoredValues may use of it: those in these folders, and those in none.
    private static let rooms: [String: Set<String>] = [
        "": [],
        "Live": [],
        "JSON": [],
        "Coding": ["JSON"],
        "Preferences": ["JSON"],
        "Keyrings": [],
        "Fleet": ["Coding", "JSON", "Live", "Preferences"],
        "UserDefaults": ["Coding", "JSON", "Preferences"],
        "Testing": ["Keyrings", "Preferences"],
        "Schema": ["Coding", "JSON", "Preferences"],
        "Values": ["Coding", "JSON", "Keyrings", "Live", "Preferences", "Schema"],
    ]

    /// The room that a file lies in, "" where it is in none; nil for another module's.
    private static func room(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.first == "StoredValues" ? parts.count == 2 ? "" : String(parts[1]) : nil
    }

    private func files(in rooms: Set<String>) throws -> [String] {
        try files().map(\.path).filter { Self.room($0).map(rooms.contains) == true }.map { Self.sources + $0 }
    }

    @Test("Each room is a whole with nothing but the rooms below it: the compiler finds all that it names there")
    func arrows() async throws {
        #expect(try Set(files().map(\.path).compactMap(Self.room)) == Set(Self.rooms.keys))
        let checker = try await TypeChecker()
        for (room, below) in Self.rooms {
            let others = room == "" ? [] : try files(in: below.union([""]))
            let complaint = try await checker.complaint(about: files(in: [room]), ofModule: "StoredValues", using: others)
            #expect(complaint.isEmpty, "\(room): \(complaint)")
        }
    }

    @Test("A room that names what lies above it is found: a type, a function, a member of another's type")
    func brokenArrow() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/Planted.swift"
            try """
            func first(_ value: LivePreference<Int>?) {}
            func second() { withTemporaryStorage {} }
            func third() -> [Int] { [1].togglingPresence(of: 1) }
            """.write(toFile: path, atomically: false, encoding: .utf8)
            let complaint = try await TypeChecker().complaint(
                about: [path], ofModule: "StoredValues", using: files(in: ["", "JSON"])
            ).split(separator: "\n")
            for (number, name) in ["LivePreference", "withTemporaryStorage", "togglingPresence"].enumerated() {
                let isFound = complaint.contains { $0.hasPrefix("\(path):\(number + 1):") && $0.contains("error: ") && $0.contains(name) }
                #expect(isFound, "\(name)")
            }
        }
    }

    // MARK: Other packages

    @Test("Only the provider imports swift-configuration, and is left out as a whole without the trait")
    func configuration() throws {
        for file in try files() {
            let isProvider = file.path.hasPrefix("StoredValuesConfiguration/")
            #expect(file.text.contains("import Configuration\n") ? isProvider : true, "\(file.path) imports swift-configuration")
            #expect(!isProvider || file.text.hasPrefix("#if Configuration\n") && file.text.hasSuffix("#endif\n"), "\(file.path)")
        }
    }

    @Test("Every file of the encrypted file but what a program names is left out as a whole without the trait, and one file of it calls libsodium")
    func encryptedFile() throws {
        let folder = "StoredValues/Keyrings/EncryptedFile/"
        let named = ["EncryptedFileKey.swift", "EncryptedFileKeyring.swift"].map { folder + $0 }
        let files = try files()
        #expect(Set(named).isSubset(of: files.map(\.path)))
        for file in files {
            #expect(file.text.contains("import CSodium") == (file.path == folder + "Sodium.swift"), "\(file.path)")
            guard file.path.hasPrefix(folder) && !named.contains(file.path) else { continue }
            let condition = file.path.hasSuffix("+NotBuiltIn.swift") ? "#if !EncryptedFile\n" : "#if EncryptedFile\n"
            #expect(file.text.hasPrefix(condition) && file.text.hasSuffix("#endif\n"), "\(file.path)")
        }
    }

    @Test("The portal stands in its folders, and has one door: the key of an encrypted file. That of the sandbox is the system's keyring")
    func portal() throws {
        let doors = [
            "SecretPortal": [], "SecretPipe": [], "PortalKey": ["EncryptedFileKey.swift", "SecretServiceKeyring+NotBuiltIn.swift"],
            "Flatpak": ["SystemKeyring.swift"],
        ]
        var named: Set<String> = []
        for file in try files() where !file.path.contains("/Portal/") {
            for match in Self.code(file.text).matches(of: /\b(SecretPortal|SecretPipe|PortalKey|Flatpak)\b/) {
                named.insert(String(match.1))
                #expect(doors[String(match.1)]?.contains { file.path.hasSuffix("/" + $0) } == true, "\(file.path) names \(match.1)")
            }
        }
        #expect(named == ["PortalKey", "Flatpak"])
    }

    @Test("Of Foundation only its essentials are imported")
    func essentials() throws {
        for file in try files() {
            let imports = file.text.matches(of: /(?m)^.*\bimport Foundation\b.*$/)
            #expect(imports.isEmpty, "\(file.path) imports Foundation")
        }
    }

    @Test("All of the fleet's client and tool is left out as a whole without the trait, and one file of it knows the HTTP client")
    func fleet() throws {
        let files = try files(), modules = ["StoredValuesFleet/", "StoredValuesFleetTool/"]
        for module in modules { #expect(files.contains { $0.path.hasPrefix(module) }, "\(module) is not found") }
        for file in files {
            let isFleet = modules.contains { file.path.hasPrefix($0) }
            let condition = file.path.hasSuffix("+NotBuiltIn.swift") ? "#if !Fleet\n" : "#if Fleet\n"
            #expect(!isFleet || file.text.hasPrefix(condition) && file.text.hasSuffix("#endif\n"), "\(file.path)")
            let isDoor = file.path.hasSuffix("Etcd/EtcdConnection.swift")
            #expect(isDoor || !file.text.contains("import AsyncHTTPClient"), "\(file.path)")
        }
    }

    @Test("Only the tools parse arguments; the library does not link that")
    func argumentParser() throws {
        for file in try files() where file.text.contains("import ArgumentParser") {
            let isOfTools = ["StoredValuesTool/", "StoredValuesFleetTool/", "StoredValuesToolSupport/"].contains { file.path.hasPrefix($0) }
            #expect(isOfTools, "\(file.path)")
        }
        func names(_ program: String) throws -> Bool {
            try Data(contentsOf: URL(fileURLWithPath: BuiltProgram.path(program))).range(of: Data("ParsableCommand".utf8)) != nil
        }
        #expect(try names("stored-values") && !names("TestProcess"))
    }

    @Test("Only the module for tests imports Swift Testing, and only tests import that: no program links it")
    func testing() throws {
        let module = "StoredValuesTesting"
        for file in try files() {
            #expect(file.path.hasPrefix(module + "/") || !file.text.contains(/import (StoredValues)?Testing\b/), "\(file.path)")
        }
        let manifest = try contents(ofFile: DocumentedPage.root.path + "/Package.swift")
        let targets = manifest.components(separatedBy: "arget(").filter { $0.contains("\"\(module)\"") && !$0.contains("name: \"\(module)\"") }
        #expect(targets.count == 1 && targets.allSatisfy { $0.contains("name: \"\(module.replacing("Testing", with: "Tests"))\"") }, "\(targets)")
        for program in ["stored-values", "TestProcess"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: BuiltProgram.path(program)))
            #expect(bytes.range(of: Data("libTesting.so".utf8)) == nil, "\(program)")
        }
    }

    /// The text without comments and without what stands in quotes.
    private static func code(_ text: String) -> String {
        text.replacing(/(?m)\/\/.*$/, with: "").replacing(/"(?:[^"\\\n]|\\.)*"/, with: "")
    }
}
