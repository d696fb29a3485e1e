/// Ends the program, which was written wrongly, with `sentence`.
///
/// Not `preconditionFailure`: in a release build that ends the program without a word, and the sentence is what helps.
package func misuse(_ sentence: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(sentence, file: file, line: line)
}

/// The names of two types, in full where they would be the same.
package func distinctNames(_ first: any Any.Type, _ second: any Any.Type) -> String {
    let (names, fullNames) = (("\(first)", "\(second)"), (String(reflecting: first), String(reflecting: second)))
    let (one, other) = names.0 == names.1 ? fullNames : names
    return "\(one) and \(other)"
}

/// Ends the program with `sentence` unless `isProper` holds, in every build.
package func requireProperUse(
    _ isProper: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isProper { misuse(sentence(), file: file, line: line) }
}
