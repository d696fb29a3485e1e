import ArgumentParser
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

/// A key of a setting, as typed.
struct KeyArgument: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        text = argument
    }

    /// The key, if it is valid for a setting.
    func checked() throws -> String {
        guard !text.isEmpty, !text.isReservedKey else {
            throw Failure(.usage, "\"\(text)\" is not a valid key: keys must not be empty or begin with $.")
        }
        return text
    }

    static var defaultCompletionKind: CompletionKind { .custom { words, _, _ in keys(words).completions } }

    /// The keys of the file that the words typed so far name.
    private static func keys(_ words: [String]) -> [String] {
        let options = CompletionWords(words)
        if let file = options["--file"], !file.isEmpty { return PreferencesFile(path: file).snapshot.keys }
        guard let id = ApplicationOptions.id(options.app) else { return [] }
        StorageSystem.bootstrap(applicationID: id)
        return PreferencesFile.standard.snapshot.keys
    }
}

/// The words of an incomplete command line as the shell passes them, with quotes.
struct CompletionWords {
    private let words: [String]

    init(_ words: [String]) {
        let marks = "\"'\\".unicodeScalars
        self.words = words.map { word in
            word.unicodeScalars.reduce(into: "") { if !marks.contains($1) { $0.unicodeScalars.append($1) } }
        }
    }

    /// The program, if it was typed.
    var app: String? { self["--app"] ?? self["-a"] }

    /// What was typed as the value of `option`.
    subscript(option: String) -> String? {
        for (word, next) in zip(words, words.dropFirst()) where word.isIdentical(to: option) { return next }
        return words.lazy.compactMap { $0.after(prefix: "\(option)=") }.first
    }
}
