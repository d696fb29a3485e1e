import Foundation

/// A Swift file, as far as names matter: what its comments mention, and what its code has.
struct CommentedSource {
    /// A name in a comment.
    struct Mention {
        /// As it is written, but without the module and without what docc needs to distinguish overloads: `update(_:)` of `update(_:)-1rtcf`.
        let name: String
        /// Whether it is between double backticks: a symbol, with the type that has it.
        let isSymbol: Bool
        /// The file and the line.
        let place: String
    }

    private(set) var mentions: [Mention] = []
    private var code = ""

    init(path: String, text: String) {
        var isExample = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let comment = Self.comment(in: line) else {
                code += line + "\n"
                continue
            }
            code += line[..<comment.startIndex] + "\n"
            if comment.contains("```") { isExample.toggle() }
            guard !isExample else { continue }
            let place = "\(path):\(number + 1)"
            for match in comment.matches(of: /(`+)([^`]+)`+/) where match.1.count == 2 || Self.isName(match.2) {
                let name = match.2.drop { ".$@".contains($0) }.replacing(/^StoredValues\/|-(method|type\.method|[0-9a-z]{4,6}|\(.*\))$/, with: "")
                mentions.append(Mention(name: String(name), isSymbol: match.1.count == 2, place: place))
            }
            // Elsewhere only what has a capital inside, or parentheses, is sure to be a name.
            for match in comment.replacing(/`+[^`]*`+/, with: "").matches(of: /(^|[^\w\/.:])([a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[a-z]\w*(?=\(\)))/) {
                mentions.append(Mention(name: String(match.2), isSymbol: false, place: place))
            }
        }
    }

    /// From the two slashes on, which stand at the beginning or behind a space: those of an address do not.
    private static func comment(in line: Substring) -> Substring? {
        line.firstRange(of: "//").flatMap { slashes in
            let isComment = slashes.lowerBound == line.startIndex || line[line.index(before: slashes.lowerBound)] == " "
            return isComment ? line[slashes.lowerBound...] : nil
        }
    }

    private static func isName(_ text: Substring) -> Bool { text.wholeMatch(of: /[.$@]?[A-Za-z_]\w*(\.\w+)*(\((\w+:)*\))?/) != nil }
}

extension CommentedSource {
    /// The names in the code of several files.
    struct Names {
        /// By each type that a file declares or extends: what these files declare.
        private var members: [Substring: Set<String>] = [:]
        private var declared: Set<String> = []
        /// All words of the code, also those of others and those in quotes.
        private var words: Set<Substring> = []

        init(of sources: [CommentedSource]) {
            for source in sources {
                let code = source.code
                words.formUnion(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
                let declared = Self.declared(in: code)
                self.declared.formUnion(declared)
                for match in code.matches(of: /\b(?:class|struct|enum|protocol|actor|extension|typealias) +([\w.]+)/) {
                    for type in match.1.split(separator: ".") { members[type, default: []].formUnion(declared) }
                }
            }
        }

        /// Whether the code has this name: a word, a dotted path of them, one with labels, or for a symbol `Type/member`.
        func have(_ name: String, isSymbol: Bool) -> Bool {
            let parts = name.split(separator: isSymbol ? "/" : ".")
            guard let last = parts.last.map(String.init) else { return false }
            let isDeclared = parts.count > 1 && isSymbol ? members[parts[parts.count - 2]]?.contains(last) == true : declared.contains(last)
            let isThere = isSymbol || last.contains(":") ? isDeclared : words.contains(last.prefix { $0 != "(" })
            return isThere && parts.dropLast().allSatisfy(words.contains)
        }

        /// What the code declares; what has parameters, with its labels, too: `set` and `set(_:to:)`.
        private static func declared(in code: String) -> Set<String> {
            var names: Set<String> = []
            for match in code.matches(of: /\b(?:class|struct|enum|protocol|actor|typealias|associatedtype|func|let|var) +`?(\w+)/) {
                names.insert(String(match.1))
            }
            for match in code.matches(of: /\bcase ([^:=\n]+)/) { names.formUnion(match.1.split { !$0.isLetter && !$0.isNumber }.map(String.init)) }
            for match in code.matches(of: /\b(?:func +`?(\w+)`?|(init)[?!]?|(subscript)|case (\w+))(?:<[^({]*>)?\(/) {
                guard let name = match.1 ?? match.2 ?? match.3 ?? match.4 else { continue }
                let labels = labels(of: code[match.range.upperBound...], isSubscript: match.3 != nil)
                names.formUnion(["\(name)", "\(name)(\(labels))"])
            }
            return names
        }

        /// The labels of the parameters that stand before the next parenthesis that closes: `_:to:`.
        private static func labels(of text: Substring, isSubscript: Bool) -> String {
            var parameters = [""], depth = 0, last: Character = " "
            scan: for character in text {
                switch character {
                case "(", "[", "{", "<": depth += 1
                case ")" where depth == 0: break scan
                case ">" where last == "-": break  // the arrow of a closure
                case ")", "]", "}", ">": depth -= 1
                case "," where depth == 0:
                    parameters.append("")
                    continue
                default: break
                }
                parameters[parameters.count - 1].append(character)
                last = character
            }
            return parameters.filter { !$0.allSatisfy(\.isWhitespace) }.map { parameter in
                guard let label = parameter.firstMatch(of: /^\s*(?:@\w+\s+)*(\w+)(?:\s+(\w+))?\s*:/) else { return "_:" }
                return isSubscript && label.2 == nil ? "_:" : "\(label.1):"
            }.joined()
        }
    }
}
