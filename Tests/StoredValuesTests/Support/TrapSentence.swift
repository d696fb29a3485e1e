import Testing

/// What the process of an exit test printed before it ended: the message of its trap.
func trapSentence(_ result: ExitTest.Result?) throws -> String {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
}
