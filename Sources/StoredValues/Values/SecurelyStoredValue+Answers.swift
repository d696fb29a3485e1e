import Dispatch

// All three answers in one, for those that must not take "unavailable" for "absent".

extension SecurelyStoredValue {
    /// The secret at hand, or nil when the keyring has none; throws why the keyring gave no answer. Waits as the property does.
    package func answerAtHand() throws(SecretError) -> Item? { try answerAtHand(by: nil) }

    private func answerAtHand(by end: DispatchTime?) throws(SecretError) -> Item? {
        let secret = secret
        secret.live.noteAccess()
        return try secret.contentAtHand(by: end).answer.mapError(secret.failure).get()
    }

    /// ``answerAtHand()`` of each. Where several were not asked for before, all are awaited together.
    package static func answersAtHand<Name>(_ secrets: [Name: SecurelyStoredValue]) -> [Name: Result<Item?, SecretError>] {
        for value in secrets.values { value.secret.reloadIfUnanswered() }
        let end = LiveSecret<Item>.endOfWaiting
        return secrets.mapValues { value in Result { () throws(SecretError) in try value.answerAtHand(by: end) } }
    }

    /// The newest answer, then each that follows; those that a slow reader has not taken become one. The first comes when the
    /// keyring has given one, or has failed to.
    package var answers: some AsyncSequence<Result<Item?, SecretError>, Never> & Sendable {
        ValueSequence<SecretContent<Item>, Result<Item?, SecretError>>(
            subscribe: { self.subscribe(.newest(1)) },
            makeTransform: {
                let secret = self.secret  // held as long as somebody iterates: the wrapper may go before
                return { content in
                    defer { withExtendedLifetime(secret) {} }
                    return if case .unknown = content { nil } else { content.answer.mapError(secret.failure) }
                }
            })
    }
}
