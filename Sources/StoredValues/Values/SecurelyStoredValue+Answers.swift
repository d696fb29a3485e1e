import Dispatch

// All three answers in one, for callers that must distinguish "unavailable" from "absent".

extension SecurelyStoredValue {
    /// The known secret, or nil if the keyring has none; throws if the keyring gave no answer. Waits like the property.
    package func answerAtHand() throws(SecretError) -> Item? { try answerAtHand(by: nil) }

    private func answerAtHand(by end: DispatchTime?) throws(SecretError) -> Item? {
        let secret = secret
        secret.live.noteAccess()
        return try secret.contentAtHand(by: end).answer.mapError(secret.failure).get()
    }

    /// ``answerAtHand()`` of each. Secrets that were not read before are read concurrently.
    package static func answersAtHand<Name>(_ secrets: [Name: SecurelyStoredValue]) -> [Name: Result<Item?, SecretError>] {
        for value in secrets.values { value.secret.reloadIfUnanswered() }
        let end = LiveSecret<Item>.endOfWaiting
        return secrets.mapValues { value in Result { () throws(SecretError) in try value.answerAtHand(by: end) } }
    }

    /// The newest answer, then each later one; a slow reader gets only the newest. The first arrives when the keyring has
    /// answered or failed.
    package var answers: some AsyncSequence<Result<Item?, SecretError>, Never> & Sendable {
        ValueSequence<SecretContent<Item>, Result<Item?, SecretError>>(
            subscribe: { self.subscribe(.newest(1)) },
            makeTransform: {
                let secret = self.secret  // retained by the iteration: the wrapper may be released before
                return { content in
                    defer { withExtendedLifetime(secret) {} }
                    return if case .unknown = content { nil } else { content.answer.mapError(secret.failure) }
                }
            })
    }
}
