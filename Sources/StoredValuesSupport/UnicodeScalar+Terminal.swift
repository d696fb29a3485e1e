extension Unicode.Scalar {
    /// Whether it does more in a terminal than being displayed: controls (also those of C1, from U+0080 on), and changes of the
    /// writing direction.
    package var steersTerminals: Bool { mayEndLine || properties.isBidiControl }

    /// Whether a program or a terminal may treat it as the end of a line or column.
    package var mayEndLine: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension String {
    /// The first `limit` scalars of what another process has sent, with a space for each that ends a line or steers a terminal.
    package func asOneLine(upTo limit: Int) -> String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(limit).map { $0.steersTerminals ? " " : $0 }))
    }
}
