/// Traps with `message` because of a programmer error.
///
/// Not `preconditionFailure`: in a release build that prints no message.
package func programmerError(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(message, file: file, line: line)
}

/// Traps with `message` unless `isProper` is true, in every build.
package func requireProperUse(
    _ isProper: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isProper { programmerError(message(), file: file, line: line) }
}

/// Why something is not possible, as a part of a sentence.
package struct Explanation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The names of two types, fully qualified where they would be the same.
package func distinctNames(_ first: any Any.Type, _ second: any Any.Type) -> String {
    let (names, fullNames) = (("\(first)", "\(second)"), (String(reflecting: first), String(reflecting: second)))
    let (one, other) = names.0 == names.1 ? fullNames : names
    return "\(one) and \(other)"
}
