import StoredValues
import StoredValuesToolSupport

/// One finding of doctor.
struct Finding {
    enum Kind: String {
        /// As it should be.
        case fine = "ok"
        /// Worth knowing.
        case note
        /// Must be fixed.
        case problem = "PROBLEM"
    }

    enum Section: String, CaseIterable {
        case settings = "Settings"
        case keyring = "Secrets"
    }

    let section: Section
    let kind: Kind
    let text: String

    init(_ section: Section, _ kind: Kind, _ text: String) {
        self.section = section
        self.kind = kind
        self.text = text
    }

    /// Prints all findings by section, as wide as the terminal, but at most 100 columns.
    static func print(_ findings: [Finding], to output: Output = .standard) {
        let width = min(output.width, 100)
        let indent = Kind.problem.rawValue.count + 4
        var isFirst = true
        for section in Section.allCases where findings.contains(where: { $0.section == section }) {
            if !isFirst { output.line() }
            isFirst = false
            output.line(output.styled(section.rawValue, .bold))
            for finding in findings where finding.section == section {
                let lines = output.oneLine(finding.text).wrapped(to: max(width - indent, 20))
                let mark = finding.kind.rawValue.padded(to: indent - 4)
                output.line("  \(output.styled(mark, finding.kind.style))  \(lines.first ?? "")")
                for line in lines.dropFirst() { output.line(String(repeating: " ", count: indent) + line) }
            }
        }
    }

    static func json(_ findings: [Finding]) -> JSONValue {
        let list = findings.map { finding -> JSONValue in
            [
                "section": .string(finding.section.rawValue.lowercased()), "kind": .string(finding.kind.rawValue.lowercased()),
                "text": .string(finding.text),
            ]
        }
        return ["ok": .bool(!findings.contains { $0.kind == .problem }), "findings": .array(list)]
    }
}

extension Finding.Kind {
    fileprivate var style: Output.Style {
        switch self {
        case .fine: .green
        case .note: .yellow
        case .problem: .red
        }
    }
}
