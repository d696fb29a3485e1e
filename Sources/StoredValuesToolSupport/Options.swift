package import ArgumentParser
import FoundationEssentials
package import StoredValues
import StoredValuesSupport

/// The program that a command is about.
package struct ApplicationOptions: ParsableArguments {
    package static let variable = "STORED_VALUES_APP"

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The program's application id; by default \(variable) in the environment.", valueName: "id"),
        completion: .custom { _, _, _ in knownApplications().completions })
    package var app: String?

    package init() {}

    package func validate() throws {
        guard let app, !StorageSystem.isName(app) else { return }
        throw ValidationError("\"\(app)\" is not a valid application id: it must not be empty, begin with a dot or contain a slash.")
    }

    /// The application id, if given.
    package var id: String? { get throws(Failure) { try Self.id(app) } }

    /// The application id in `app` or the environment, if given; throws where the environment has what is none.
    package static func id(_ app: String?) throws(Failure) -> String? {
        if let app { return StorageSystem.isName(app) ? app : nil }
        guard let id = try System.environment(variable) else { return nil }
        guard StorageSystem.isName(id) else {
            throw Failure(.misconfigured, "\(variable) has no valid application id: it must not begin with a dot or contain a slash. Set it to another value.")
        }
        return id
    }

    /// The application id, which must be given.
    package func requiredID() throws -> String {
        if let id = try id { return id }
        throw Failure(.usage, "Name the program: --app <id>, or \(Self.variable)=<id> in the environment. Its id is the name of its folder in ~/.config.")
    }

    /// Makes this process read and write as that program.
    package func bootstrap() throws { StorageSystem.bootstrap(applicationID: try requiredID()) }

    /// The programs that have settings in this user's folder.
    private static func knownApplications() -> [String] {
        guard let folder = try? PreferencesLocation.configurationFolder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { FileManager.default.fileExists(atPath: "\(folder)/\($0)/preferences.json") }.sorted()
    }
}

/// The service whose secrets a command is about.
package struct ServiceOption: ParsableArguments {
    @Option(help: ArgumentHelp("The service that the secrets belong to; by default the application id.", valueName: "name"))
    package var service: String?

    package init() {}

    package func validate() throws {
        guard service != "" else { throw ValidationError("The name of --service must not be empty.") }
    }
}

/// A keyring as typed, in the notation of `STORED_VALUES_KEYRING`.
package struct KeyringArgument: ExpressibleByArgument {
    package let keyring: any Keyring

    package init?(argument: String) {
        let isKnown = argument.isIdentical(to: "secret-service") || ["file:", "credentials:", "fleet:"].contains { argument.after(prefix: $0)?.isEmpty == false }
        guard isKnown else { return nil }
        keyring = SystemKeyring.choose(argument).keyring
    }

    package static var defaultCompletionKind: CompletionKind { .custom { _, _, _ in ["secret-service", "file:", "credentials:", "fleet:"].completions } }
}

/// A value as typed: JSON, or else a string.
package struct ValueArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A JSON value, or a string.", valueName: "json-or-text"),
        completion: .custom { words, _, _ in CompletionWords(words).cases.completions })
    package var value: String
    @Flag(help: "Force the type: store the value as a string, even if it is JSON.") package var text = false
    @Flag(help: "Force the type: refuse a value that is not JSON.") package var json = false

    package init() {}

    package func validate() throws {
        guard !(text && json) else { throw ValidationError("Give either --text or --json.") }
    }

    /// The value for `key`. What is JSON and a string is what the programs that declare the key can read; JSON if they can read both.
    package func json(of key: String, declared: PublishedSchema? = nil) throws -> JSONValue {
        if text { return .string(value) }
        do throws(JSONSyntaxError) {
            if let typed = try JSONValue(typed: value) {
                let isString = declared.map { $0.misfit(typed, for: key) != nil && $0.misfit(.string(value), for: key) == nil } ?? false
                return isString && !json ? .string(value) : typed
            }
        } catch {
            throw Failure(.badData, "The value for \"\(key)\" has \(error), and would not be read as it is. Correct it, or store it as a string with --text.")
        }
        guard !json else {
            throw Failure(.badData, "The value for \"\(key)\" is not JSON; without --json it would be stored as a string.")
        }
        return .string(value)
    }

    /// Notes on standard error if the value of `key` is of another kind than the one that it replaces.
    package static func note(_ key: String, replacing old: JSONValue?, with new: JSONValue) {
        guard let old, old != .null, new != .null, old.kindForPeople != new.kindForPeople else { return }
        let hint = old.stringValue == nil ? "" : " Use --text to keep it a string."
        Output.error.note("\"\(key)\" was \(old.kindForPeople) and is now \(new.kindForPeople).\(hint)")
    }
}

extension JSONValue {
    /// Its kind, in words.
    fileprivate var kindForPeople: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension Sequence<String> {
    /// The completions that every shell takes as one literal word, escaped for the current shell.
    ///
    /// Others are left out: bash expands a completion as if it were typed, so a key with `$(…)` in it would run a command, and
    /// all shells treat a line break as the end of one.
    package var completions: [String] {
        let words = filter(\.isPlainWord)
        // zsh treats text after a colon as a description.
        return CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", by: "\\:") } : words
    }
}

extension String {
    /// Whether no shell treats the text as anything but a word that is not an option.
    package var isPlainWord: Bool {
        !isEmpty && !begins(with: "-") && unicodeScalars.allSatisfy(\.isPlain)
    }
}

extension Unicode.Scalar {
    /// Whether no shell gives it a special meaning: an allow list, because no list of special characters is complete.
    fileprivate var isPlain: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            true
        default: "_-.+@/:".unicodeScalars.contains(self)
        }
    }
}
