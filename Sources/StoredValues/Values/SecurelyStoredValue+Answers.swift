// All three answers in one, for those that must not take "unavailable" for "absent".

extension SecurelyStoredValue {
    /// The secret at hand, or nil when the keyring has none; throws why the keyring gave no answer. Waits as the property does.
    package func answerAtHand() throws(KeyringError) -> Item? {
        let secret = secret
        secret.live.noteAccess()
        // Without an answer the keyring itself gave up, as it does for a task that is cancelled.
        guard let answer = secret.contentAtHand().answer else { throw .cancelled }
        return try answer.get()
    }

    /// ``answerAtHand()`` of each. Where several were not asked for before, all are awaited together.
    package static func answersAtHand<Name>(
        _ secrets: [Name: SecurelyStoredValue]
    ) -> [Name: Result<Item?, KeyringError>] {
        let loadings = secrets.values.map { ($0.secret, $0.secret.beginFirstLoading()) }
        for case (let secret, let loading?) in loadings { secret.wait(for: loading) }
        return secrets.mapValues { secret in Result { () throws(KeyringError) in try secret.answerAtHand() } }
    }

    /// The newest answer, then each that follows; those that a slow reader has not taken become one. The first comes when the
    /// keyring has given one, or has failed to.
    package var answers: some AsyncSequence<Result<Item?, KeyringError>, Never> & Sendable {
        ValueSequence<SecretContent<Item>, Result<Item?, KeyringError>>(
            subscribe: { self.subscribe(.newest(1)) },
            makeTransform: {
                let secret = self.secret  // held as long as somebody iterates: the wrapper may go before
                return { content in
                    defer { withExtendedLifetime(secret) {} }
                    return content.answer
                }
            })
    }
}

extension SecretContent {
    /// What the keyring said, or why it said nothing; nil when it was not asked.
    fileprivate var answer: Result<Item?, KeyringError>? {
        switch self {
        case .unknown: nil
        case .value(let item, _): .success(item)
        case .absent: .success(nil)
        case .unavailable(let error): .failure(error)
        }
    }
}
