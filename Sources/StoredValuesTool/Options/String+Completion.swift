import ArgumentParser
import StoredValues
import StoredValuesSupport

extension Sequence<String> {
    /// Those that every shell takes for one word as it stands, fit for the shell that asks.
    ///
    /// The others are left out: bash expands a completion as if it were typed, so that a key with `$(…)` in it would run a
    /// command, and all shells take a line break for the end of one.
    var completions: [String] {
        let words = filter(\.isPlainWord)
        // zsh takes what follows a colon for a description of what stands before it.
        return CompletionShell.requesting == .zsh ? words.map { $0.replacing(":", by: "\\:") } : words
    }
}

extension String {
    /// Whether no shell sees more in the text than a word that is no option.
    fileprivate var isPlainWord: Bool {
        !isEmpty && !begins(with: "-") && unicodeScalars.allSatisfy(\.isPlain)
    }
}

extension Unicode.Scalar {
    /// Whether no shell gives it a meaning: a list of those that are known to have none, for nobody knows all of the others.
    fileprivate var isPlain: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .nonspacingMark,
            .spacingMark:
            true
        default: "_-.+@/:".unicodeScalars.contains(self)
        }
    }
}
