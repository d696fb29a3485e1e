package import StoredValues
import StoredValuesSupport

/// What programs have published about the keys of a file.
extension PublishedSchema {
    /// All keys, without former names, sorted.
    package var currentKeys: [String] { keys.filter { name(replacing: $0) == nil } }

    /// What the key of this former name is called now; nil if it is none.
    package func name(replacing key: String) -> String? { self[key]?[Self.renamedMember]?.stringValue }

    /// The value while nothing is stored; nil if the program does not say.
    package func defaultValue(of key: String) -> JSONValue? { self[key]?["default"] }

    /// The values that can be listed.
    package func cases(of key: String) -> [JSONValue] { self[key].map { JSONSchema($0).cases } ?? [] }

    /// The keys whose values variables of the environment can have, sorted, with the names of the variables.
    package var variables: [(key: String, variable: String)] {
        currentKeys.compactMap { key in self[key]?[Self.variableMember]?.stringValue.map { (key, $0) } }
    }

    /// What the names of these variables begin with.
    package var prefixesOfVariables: [String] {
        variables.compactMap { $1.before(suffix: EnvironmentVariables.name(of: $0)) }.filter { !$0.isEmpty }.distinctKeys
    }

    /// Why the key may not have what somebody typed, as JSON or as a text; nil if it may.
    package func misfit(typed text: String, for key: String) -> String? {
        guard let misfit = misfit(.string(text), for: key) else { return nil }
        do throws(JSONSyntaxError) {
            return if let typed = try JSONValue(typed: text) { self.misfit(typed, for: key) } else { misfit }
        } catch {
            return "it has \(error)"
        }
    }

    /// Throws if a program would not read the value, or not under this key.
    package func check(_ value: JSONValue, for key: String) throws {
        let cure = "Nothing was stored; --force stores it all the same."
        if let problem = problem(with: key) { throw Failure(.badData, "\(problem) \(cure)") }
        if let misfit = misfit(value, for: key) { throw Failure(.badData, "This is no value for \"\(key)\": \(misfit). \(cure)") }
    }

    /// Why no program reads this key, as a sentence; nil if one does.
    package func problem(with key: String) -> String? {
        if let name = name(replacing: key) { return "\"\(key)\" is called \"\(name)\" now." }
        guard self[key] == nil else { return nil }
        let question = nearest(to: key).map { " Did you mean \"\($0)\"?" } ?? ""
        return "No program declares \"\(key)\".\(question)"
    }

    /// The declared key that a user most likely meant; nil if none is near.
    package func nearest(to key: String) -> String? {
        // A changed or moved character is both an insertion and a removal, and counts once.
        let near = currentKeys.map { declared in
            let difference = declared.lowercased().prefix(100).difference(from: key.lowercased().prefix(100))
            return (key: declared, distance: max(difference.insertions.count, difference.removals.count), count: difference.count)
        }.min { ($0.distance, $0.count) < ($1.distance, $1.count) }
        return near.flatMap { $0.distance <= max(1, key.unicodeScalars.count / 3) ? $0.key : nil }
    }
}

/// The words of an incomplete command line as the shell passes them, with quotes.
package struct CompletionWords {
    private let words: [String]

    package init(_ words: [String]) {
        self.words = words.map { String(String.UnicodeScalarView($0.unicodeScalars.filter { !"\"'\\".unicodeScalars.contains($0) })) }
    }

    /// The program, if it was typed.
    package var app: String? { self["--app"] ?? self["-a"] }

    /// What was typed as the value of `option`.
    package subscript(option: String) -> String? {
        for (word, next) in zip(words, words.dropFirst()) where word.isIdentical(to: option) { return next }
        return words.lazy.compactMap { $0.after(prefix: "\(option)=") }.first
    }

    /// The path that was typed for `--file`, with the home folder for `~`, as the shell expands it when the command runs.
    package var file: String? {
        guard let file = self["--file"], !file.isEmpty, !file.has("\0") else { return nil }
        let home = (try? System.environment("HOME", mayBeEmpty: true)) ?? "~"
        return file.after(prefix: "~/").map { "\(home)/\($0)" } ?? file
    }

    /// The file of settings that they name; nil if they name none.
    package var storage: PreferencesFile? {
        if let file { return PreferencesFile(path: file) }
        guard let id = try? ApplicationOptions.id(app) else { return nil }
        StorageSystem.bootstrap(applicationID: id)
        return self["--name"].flatMap { try? PreferencesFile(checkingName: $0) } ?? .standard
    }

    /// The values that the key after the command `set` can have, as they are typed.
    package var cases: [String] {
        guard let declared = storage?.publishedSchema(),
            let key = words.drop(while: { !$0.isIdentical(to: "set") }).dropFirst().first(where: { declared[$0] != nil })
        else { return [] }
        return declared.cases(of: key).map { $0.stringValue ?? "\($0)" }
    }
}
