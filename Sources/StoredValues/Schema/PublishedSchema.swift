import StoredValuesFiles
import StoredValuesSupport

/// The schema of a preferences file as programs have published it: an object with a property for each key.
///
/// Several programs share one file, and libraries publish their keys too. So each key lists the programs that declare it, in the member
/// `x-stored-values-programs`, each with the number of the call that published the key. A run of a program replaces, call by call, what
/// its previous run published. If it publishes the same again, nothing is written.
package struct PublishedSchema: Sendable {
    package static let programsMember = "x-stored-values-programs"
    /// For a former name of a key: the name of the key.
    package static let renamedMember = "x-stored-values-renamed"
    /// For a key whose value can come from an environment variable: the name of the variable.
    package static let variableMember = "x-stored-values-variable"
    static let dialect: JSONValue = "https://json-schema.org/draft/2020-12/schema"

    package private(set) var json: JSONValue

    init(properties: [String: JSONValue] = [:]) {
        json = ["$schema": Self.dialect, "type": "object", "properties": .object(properties)]
    }

    /// The schema in these bytes; nil if they are not a schema.
    package init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), json.objectValue != nil else { return nil }
        self.json = json
    }

    /// The schema in the file at this path; nil if the file is not a schema. Throws if the file is missing or cannot be read.
    package init?(fileAt path: String) throws(PreferencesError) {
        do throws(FileError) {
            guard let bytes = try DurableFile(path: path).read()?.bytes else { throw FileError(.read, path, .noEntry) }
            self.init(bytes)
        } catch { throw .notRead(path: path, reason: error.description) }
    }

    private var properties: [String: JSONValue] {
        get { json["properties"]?.objectValue ?? [:] }
        set { json["properties"] = .object(newValue) }
    }

    /// The declared keys and their former names, sorted.
    package var keys: [String] { properties.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

    /// The declaration of a key.
    package subscript(key: String) -> JSONValue? { properties[key] }

    /// Why the key may not have the value, as a clause such as "it must be a number"; nil if it may, or if it is not declared.
    package func misfit(_ value: JSONValue, for key: String) -> String? { self[key].flatMap { JSONSchema($0).misfit(value) } }

    /// What this program has published.
    func part(of program: String) -> [String: JSONValue] { properties.filter { $0.value[Self.programsMember]?[program] != nil } }

    /// Adds the keys of another schema that this one does not have.
    mutating func add(_ other: PublishedSchema) { properties.merge(other.properties) { mine, _ in mine } }

    /// Adds what a run of `program` has published so far. Removes what its previous run published with the same calls, or if this `isAll`,
    /// with any call.
    mutating func take(_ run: SchemaRun.Published, of program: String, isAll: Bool) {
        for (key, old) in properties {
            guard let call = old[Self.programsMember]?[program]?.intValue, run.entries[key] == nil, isAll || call <= run.calls else { continue }
            properties[key]?[Self.programsMember]?[program] = nil
            if properties[key]?[Self.programsMember] == [:] { properties[key] = nil }
        }
        for (key, entry) in run.entries {
            var new = entry.json, old = properties[key]
            var programs = old?[Self.programsMember]?.objectValue ?? [:]
            old?[Self.programsMember] = nil
            // A type's own `encode(to:)` may write the elements of a set in another order in each run.
            if let known = old, Self.inOrder(known) == Self.inOrder(new) { new = known }
            programs[program] = JSONValue(entry.call)
            new[Self.programsMember] = .object(programs)
            properties[key] = new
        }
        (json["$schema"], json["type"]) = (Self.dialect, "object")
    }

    /// The same with the lists in the default sorted.
    private static func inOrder(_ declaration: JSONValue) -> JSONValue {
        func sorted(_ value: JSONValue) -> JSONValue {
            switch value {
            case .array(let elements): .array(elements.map(sorted).sorted { "\($0)" < "\($1)" })
            case .object(let members): .object(members.mapValues(sorted))
            default: value
            }
        }
        var result = declaration
        result["default"] = declaration["default"].map(sorted)
        return result
    }
}

/// What this run of the program has published in one file.
final class SchemaRun: Sendable {
    struct Published {
        var calls = 0
        /// The declarations by key, each with the number of the call.
        var entries: [String: (json: JSONValue, call: Int)] = [:]
    }

    private let published = Guarded(Published())
    /// The program's part of the file when this run has last written it or found it right.
    private let known = Guarded<[String: JSONValue]>([:])
    private let file: DurableFile

    init(at path: String) { file = DurableFile(path: path) }

    /// Publishes these declarations with those before.
    func publish(_ declarations: [String: JSONValue]) throws(FileError) {
        published.withLock { published in
            published.calls += 1
            for (key, json) in declarations {
                published.entries[key] = (json, published.entries[key]?.call ?? published.calls)
            }
        }
        try write(isAll: false)
    }

    /// Removes what an earlier run of the program published and this one did not; nothing if a later run, perhaps of a newer version, has
    /// published meanwhile.
    func end() throws(FileError) { try write(isAll: true) }

    private func write(isAll: Bool) throws(FileError) {
        // Usually there is nothing to write; then no lock is needed.
        if let contents = try file.read(), update(contents.bytes, isAll: isAll) == nil { return }
        let locked = try file.lock()
        guard let text = update(try locked.read()?.bytes ?? [], isAll: isAll) else { return }
        _ = try locked.replace(with: text, durably: false)
        _ = update(text, isAll: isAll)  // which finds it right
    }

    /// The new text of the file; nil if it stays as it is.
    private func update(_ text: [UInt8], isAll: Bool) -> [UInt8]? {
        var schema = PublishedSchema(text) ?? PublishedSchema()
        let program = executableName()
        if isAll, schema.part(of: program) != known.withLock({ $0 }) { return nil }
        schema.take(published.withLock { $0 }, of: program, isAll: isAll)
        let new = schema.json.text() + [UInt8(ascii: "\n")]
        guard new == text else { return new }
        known.withLock { $0 = schema.part(of: program) }
        return nil
    }

    // MARK: All runs of this process

    /// By the bytes of the path.
    private static let all = Guarded<[[UInt8]: SchemaRun]>([:])

    /// If the process is killed, the next run does it.
    private static let endWithProcess: Void = atEndOfProcess { for run in SchemaRun.all.withLock({ Array($0.values) }) { try? run.end() } }

    /// The run for the schema at `path`, which ends with the process.
    static func run(at path: String) -> SchemaRun {
        _ = endWithProcess  // once
        return all.withLock { runs in
            let run = runs[Array(path.utf8)] ?? SchemaRun(at: path)
            runs[Array(path.utf8)] = run
            return run
        }
    }
}

extension PreferencesFile {
    /// The run in which this process publishes the schema of this file; nil if values are in memory only. Throws if there is no folder for it.
    func schemaRun() throws(PreferencesError) -> SchemaRun? {
        guard let path = try schemaPath else { return nil }
        guard let scope = temporaryScope(orElse: nil) else { return SchemaRun.run(at: path) }
        return scope.object("schema \(path)") { SchemaRun(at: path) }
    }

    /// The schema of this file, published or installed; nil if there is none. Where both declare a key, the published one counts.
    package func publishedSchema() -> PublishedSchema? {
        schemas.reduce(nil) { found, next in
            var found = found ?? next.schema
            found.add(next.schema)
            return found
        }
    }

    /// The path of the first of these; nil if there is none.
    package var pathOfPublishedSchema: String? { schemas.first?.path }

    private var schemas: [(path: String, schema: PublishedSchema)] {
        schemaPaths.compactMap { path in (try? PublishedSchema(fileAt: path)).map { (path, $0) } }
    }
}
