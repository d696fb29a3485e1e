import Foundation

/// The Swift compiler, to find out whether a text is a program that uses the library as it was built for these tests.
struct TypeChecker {
    private let compiler: String
    private let options: [String]

    /// The compiler in the search path.
    init() async throws { (compiler, options) = try await Self.found.value }

    /// What every use needs, asked for once. Detached, for it belongs to no test. It must throw and not expect: an expectation that fails
    /// is reported once, an error by each test that asks.
    private static let found: Task<(String, [String]), any Error> = Task.detached {
        let compiler = try Self.program("swiftc")
        let built = URL(fileURLWithPath: try BuiltProgram.path("tests")).deletingLastPathComponent().path
        let resources = try await Self.resources(of: compiler)
        let options =
            [
                "-swift-version", "6", "-I", "\(built)/Modules",
                // Not the build's own, to which another path leads: the compiler refuses what was cached by that.
                "-module-cache-path", "\(built)/SnippetModuleCache",
                "-I", "\(resources)/pm/ManifestAPI", "-package-description-version", "6.2.0",
                "-plugin-path", "\(resources)/host/plugins", "-plugin-path", "\(resources)/host/plugins/testing",
            ] + (try await Self.cModules() + Self.fleetsCModules(built) + Self.storesCModules(built)).flatMap { ["-Xcc", $0] }
        return (compiler.path, options)
    }

    private static func program(_ name: String) throws -> Program {
        guard let program = Program(named: name) else { throw NotInPath(program: name) }
        return program
    }

    private struct NotInPath: Error {
        let program: String
    }

    /// What the compiler says of `program`; empty when it has no complaint. Warnings are none. A script has code outside of
    /// functions, as a `Package.swift` has.
    func complaint(about program: String, isScript: Bool = false) async throws -> String {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/Program.swift"
            try program.write(toFile: path, atomically: false, encoding: .utf8)
            let result = try await check([path], isScript ? [] : ["-parse-as-library"], in: folder)
            return result.status == 0 ? "" : "status \(result.status): \(result.errors)"
        }
    }

    /// What came of checking these files as one module, with these options besides.
    func check(_ paths: [String], _ more: [String], in folder: String) async throws -> FinishedProgram {
        try await FinishedProgram.run(
            [compiler, "-emit-sil", "-o", "\(folder)/main.sil"] + options + more + paths,
            environment: ProcessInfo.processInfo.environment, in: folder)
    }

    /// What the compiler says of source files of one of the library's modules, where these and `others` are all that it knows of that
    /// module; empty when it has no complaint.
    func complaint(about files: [String], ofModule module: String, using others: [String]) async throws -> String {
        // SwiftPM names it after the package's folder.
        let package = DocumentedPage.root.lastPathComponent.lowercased().replacing(/[^a-z0-9]/, with: "_")
        let manifest = try contents(ofFile: DocumentedPage.root.path + "/Package.swift")
        let features = manifest.matches(of: /enableUpcomingFeature\("(\w+)"\)/).flatMap { ["-enable-upcoming-feature", String($0.1)] }
        let traits = ["-D", "EncryptedFile", "-D", "Libsecret"]
        let result = try await withTemporaryFolder { folder in
            // The others are only looked up in, not checked.
            try await FinishedProgram.run(
                [compiler, "-frontend", "-typecheck", "-module-name", module, "-package-name", package] + options + features + traits
                    + files.flatMap { ["-primary-file", $0] } + others,
                environment: ProcessInfo.processInfo.environment, in: folder)
        }
        return result.status == 0 ? "" : result.errors
    }

    /// The folder in which the compiler has its modules and plugins. It says so itself, for what is in PATH may only lead to it.
    private static func resources(of compiler: Program) async throws -> String {
        struct Target: Decodable {
            struct Paths: Decodable { let runtimeResourcePath: String }
            let paths: Paths
        }
        let said = try await compiler.run(
            ["-print-target-info"], environment: ProcessInfo.processInfo.environment)
        return try JSONDecoder().decode(Target.self, from: Data(said.output.utf8)).paths.runtimeResourcePath
    }

    /// What lets the compiler find the modules of C headers that the library's own needs.
    private static func cModules() async throws -> [String] {
        func map(_ module: String) -> String { "-fmodule-map-file=\(DocumentedPage.root.path)/Sources/\(module)/module.modulemap" }
        var options = [map("CStoredValues")]
        options.append(map("CSodium"))
        let package = try program("pkg-config")
        let (_, flags) = try await package.run(
            ["--cflags-only-I", "libsecret-1"], environment: ProcessInfo.processInfo.environment)
        options += [map("CSecret")] + flags.split(whereSeparator: \.isWhitespace).map(String.init)
        return options
    }

    /// The same for what StoredValuesFleet needs, which is SwiftNIO's, of the build in `built`.
    private static func fleetsCModules(_ built: String) throws -> [String] {
        #if Fleet
            let checkouts = URL(fileURLWithPath: built + "/../../checkouts").standardized.path
            var maps = try FileManager.default.contentsOfDirectory(atPath: built).map { "\(built)/\($0)/module.modulemap" }
            for package in try FileManager.default.contentsOfDirectory(atPath: checkouts) {
                let modules = (try? FileManager.default.contentsOfDirectory(atPath: "\(checkouts)/\(package)/Sources")) ?? []
                maps += modules.map { "\(checkouts)/\(package)/Sources/\($0)/include/module.modulemap" }
            }
            return maps.filter(FileManager.default.fileExists(atPath:)).sorted().map { "-fmodule-map-file=\($0)" }
        #else
            return []
        #endif
    }

    /// The same for what StoredValuesStore needs, which is SQLite's headers by GRDB.
    private static func storesCModules(_ built: String) -> [String] {
        isStoreBuiltIn
            ? ["-fmodule-map-file=" + URL(fileURLWithPath: built + "/../../checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap").standardized.path] : []
    }
}
