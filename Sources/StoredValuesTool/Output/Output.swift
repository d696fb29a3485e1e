import StoredValues
import StoredValuesSupport

/// One of the two streams that the tool writes to. What is written is there when the call returns.
struct Output {
    let descriptor: Int32
    /// Whether a person reads it.
    let isTerminal: Bool
    /// How many columns it has.
    let width: Int
    /// Whether colours are wanted: on a terminal that has them, unless NO_COLOR is set (no-color.org).
    let hasColor: Bool

    static let standard = Output(System.standardOutput)
    static let error = Output(System.standardError)

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = System.isTerminal(descriptor)
        width = System.width(descriptor) ?? 80
        func variable(_ name: String) -> String { (try? System.environment(name)) ?? "" }
        hasColor = isTerminal && variable("NO_COLOR").isEmpty && variable("TERM") != "dumb"
    }

    func line(_ text: String = "") {
        write("\(text)\n")
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        guard !System.write(descriptor, bytes) else { return }
        if descriptor != System.standardError { Self.error.line("stored-values: Could not write the output: \(System.problem).") }
        System.end(.notSaved)
    }

    /// A value as JSON over several lines.
    func json(_ value: JSONValue) {
        line(shownJSON(value.text(onOneLine: false)))
    }

    /// Settings as one JSON object. Each keeps its own name: to a dictionary, two that look alike would be one.
    func json(_ members: [(key: String, value: JSONValue)]) {
        let texts = members.map { key, value in
            "  \(JSONValue.string(key).text(onOneLine: true)): \(value.text(onOneLine: false).replacing("\n", by: "\n  "))"
        }
        line(shownJSON(texts.isEmpty ? "{}" : "{\n\(texts.joined(separator: ",\n"))\n}"))
    }

    /// `text` in this style, if colours are wanted.
    func styled(_ text: String, _ style: Style) -> String {
        hasColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The styles, by their codes (ECMA-48). No meaning is carried by them alone.
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// Text of a program or a person, fit for this stream: on a terminal, what would steer it is shown and does nothing.
    func shown(_ text: String) -> String {
        isTerminal ? text.withoutControls : text
    }

    /// The same for what is to be one line, or a part of one.
    func oneLine(_ text: String) -> String { shown(text.onOneLine) }

    /// The same for JSON, which says what it said. It has no lines but those that it was laid out in, wherever it goes: a script
    /// may take more characters for the end of a line than JSON escapes.
    func shownJSON(_ text: String) -> String { text.escapedJSON { isTerminal ? $0.steersTerminals : $0.mayEndLine } }
}
