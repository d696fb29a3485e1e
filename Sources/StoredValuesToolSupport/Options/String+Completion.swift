import ArgumentParser
import StoredValues
import StoredValuesSupport

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
