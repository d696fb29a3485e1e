import Foundation
import StoredValues

/// Secrets for tests that are recognised wherever they turn up: one search of a whole run's output finds all that got out.
enum TestSecret {
    /// Part of every such secret. Put together here, for a compiler may quote lines of the source.
    static let mark = ["un", "speak", "able", "7d1f"].joined()

    /// A secret text of its own for each name.
    static func text(_ name: String = "secret") -> String { "\(mark)-\(name)" }

    /// The same, as what a keyring keeps.
    static func secret(_ name: String = "secret") -> Secret { Secret(text(name).utf8) }

    /// The forms in which the mark stands in `output`: as it is, in hexadecimal, in Base64, or as a list of numbers.
    static func traces(in output: String) -> [String] {
        forms.filter { output.contains($0.text) }.map(\.name)
    }

    static let forms: [(name: String, text: String)] = {
        let bytes = Array(mark.utf8)
        let hexadecimal = bytes.map { String($0, radix: 16) }
        // In the middle of other bytes it begins at one of three places of a group.
        let base64 = (0..<3).map { shift in
            let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
            return ("Base64, \(shift)", String(text.dropFirst(shift == 0 ? 0 : shift + 1).dropLast(4)))
        }
        return base64 + [
            ("as it is", mark), ("hexadecimal", hexadecimal.joined()), ("hexadecimal", hexadecimal.joined().uppercased()),
            ("numbers", bytes.map(String.init).joined(separator: ", ")),
        ]
    }()
}
