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

    init(_ section: Section, _ kind: Kind, _ text: String) { (self.section, self.kind, self.text) = (section, kind, text) }

    /// Prints all findings by section, each on one line.
    static func print(_ findings: [Finding], to output: Output = .standard) {
        for section in Section.allCases {
            let own = findings.filter { $0.section == section }
            if own.isEmpty { continue }
            if findings.first?.section != section { output.line() }
            output.line(output.styled(section.rawValue, .bold))
            for finding in own {
                let mark = finding.kind.rawValue.padded(to: Kind.problem.rawValue.count)
                output.line("  \(output.styled(mark, finding.kind.style))  \(output.oneLine(finding.text))")
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
