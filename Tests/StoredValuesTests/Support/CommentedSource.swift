import Foundation

/// A Swift file, as far as names matter: what its comments mention, and the words and signs of its code.
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
    /// Words, signs and line ends. What stands in quotes is among them, too.
    private var code: [Substring] = []

    init(path: String, text: String) {
        var isExample = false
        for (number, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let line = Substring(line), comment = Self.comment(in: line)
            code += Self.tokens(line[..<(comment?.startIndex ?? line.endIndex)]) + ["\n"]
            guard let comment else { continue }
            if comment.contains("```") { isExample.toggle() }
            if !isExample { mentions += Self.mentions(in: comment, at: "\(path):\(number + 1)") }
        }
    }

    /// From the two slashes on, which stand at the beginning or behind a space: those of an address do not.
    private static func comment(in line: Substring) -> Substring? {
        let slash = UInt8(ascii: "/")
        guard let start = line.utf8.indices.first(where: { line.utf8[$0...].starts(with: [slash, slash]) }) else { return nil }
        return start == line.startIndex || line.utf8[line.utf8.index(before: start)] == UInt8(ascii: " ") ? line[start...] : nil
    }

    private static func mentions(in comment: Substring, at place: String) -> [Mention] {
        var mentions: [Mention] = []
        var rest = comment
        if comment.utf8.contains(UInt8(ascii: "`")) {
            for match in comment.matches(of: /(`+)([^`]+)`+/) where match.1.count == 2 || isName(match.2) {
                let name = match.2.drop { ".$@".contains($0) }.replacing(/^\/?StoredValues\/|-.*$/, with: "")
                mentions.append(Mention(name: String(name), isSymbol: match.1.count == 2, place: place))
            }
            rest = comment.replacing(/`+[^`]*`+/, with: "")
        }
        // Elsewhere only what has a capital inside, or parentheses, is sure to be a name.
        guard zip(rest.utf8, rest.utf8.dropFirst()).contains(where: { isLower($0) && isUpper($1) || $0 == UInt8(ascii: "(") && $1 == UInt8(ascii: ")") })
        else { return mentions }
        for match in rest.matches(of: /(^|[^\w\/.:])([a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[a-z]\w*(?=\(\)))/) {
            mentions.append(Mention(name: String(match.2), isSymbol: false, place: place))
        }
        return mentions
    }

    private static func isName(_ text: Substring) -> Bool { text.wholeMatch(of: /[.$@]?[A-Za-z_]\w*(\.\w+)*(\((\w+:)*\))?/) != nil }

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    private static func isOfWord(_ byte: UInt8) -> Bool {
        isLower(byte) || isUpper(byte) || byte == UInt8(ascii: "_") || byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func tokens(_ line: Substring) -> [Substring] {
        var tokens: [Substring] = [], rest = line
        while let first = rest.utf8.first {
            let token = isOfWord(first) ? Substring(rest.utf8.prefix(while: isOfWord)) : rest.prefix(1)
            if token != " ", token != "`" { tokens.append(token) }
            rest = rest[token.endIndex...]
        }
        return tokens
    }
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
                let (names, types) = Self.declared(in: source.code)
                words.formUnion(source.code)
                declared.formUnion(names)
                for type in types { members[type, default: []].formUnion(names) }
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

        /// What the code declares; what has parameters, with its labels, too: `set` and `set(_:to:)`. And the types that it declares or extends.
        private static func declared(in code: [Substring]) -> (names: Set<String>, types: Set<Substring>) {
            var names: Set<String> = [], types: Set<Substring> = []
            /// Notes the name at `index`, also with the labels of the parameters behind it.
            func note(at index: Int, isSubscript: Bool = false) {
                names.insert(String(code[index]))
                var next = index + 1
                if ["?", "!"].contains(code[next]) { next += 1 }
                if code[next] == "<" { next = (code[next...].firstIndex(of: ">") ?? next) + 1 }
                if code[next] == "(" { names.insert("\(code[index])(\(labels(of: code[(next + 1)...], isSubscript: isSubscript)))") }
            }
            for (index, token) in code.enumerated() {
                switch token {
                case "struct", "class", "enum", "protocol", "actor", "extension", "typealias":
                    let path = code[(index + 1)...].prefix { $0 != "\n" && $0 != "{" && $0 != ":" && $0 != "<" && $0 != "=" }
                    types.formUnion(path)
                    names.formUnion(path.map(String.init))
                case "func", "let", "var", "associatedtype": note(at: index + 1)
                case "init": note(at: index)
                case "subscript": note(at: index, isSubscript: true)
                case "case":
                    var depth = 0
                    for (index, token) in zip((index + 1)..., code[(index + 1)...]) where token != "," {
                        if token == "\n" || depth == 0 && (token == ":" || token == "=") { break }
                        if token == "(" { depth += 1 } else if token == ")" { depth -= 1 } else if depth == 0 { note(at: index) }
                    }
                default: break
                }
            }
            return (names, types)
        }

        /// The labels of the parameters that stand before the next parenthesis that closes: `_:to:`.
        private static func labels(of code: ArraySlice<Substring>, isSubscript: Bool) -> String {
            var parameters: [[Substring]] = [[]], depth = 0, last: Substring = ""
            scan: for token in code where token != "\n" {
                defer { last = token }
                switch token {
                case "(", "[", "{", "<": depth += 1
                case ")" where depth == 0: break scan
                case ">" where last == "-": break  // the arrow of a closure
                case ")", "]", "}", ">": depth -= 1
                case "," where depth == 0:
                    parameters.append([])
                    continue
                default: break
                }
                parameters[parameters.count - 1].append(token)
            }
            return parameters.filter { !$0.isEmpty }.map { parameter in
                switch parameter.firstIndex(of: ":") {
                case 1: isSubscript ? "_:" : "\(parameter[0]):"
                case 2: "\(parameter[0]):"
                default: "_:"
                }
            }.joined()
        }
    }
}
