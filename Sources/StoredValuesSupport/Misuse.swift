/// Ends the program, which was written wrongly, with `sentence`.
///
/// Not `preconditionFailure`: in a release build that ends the program without a word, and the sentence is what helps.
package func misuse(_ sentence: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(sentence, file: file, line: line)
}

/// Ends the program with `sentence` unless `isProper` holds, in every build.
package func requireProperUse(
    _ isProper: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    if !isProper { misuse(sentence(), file: file, line: line) }
}
