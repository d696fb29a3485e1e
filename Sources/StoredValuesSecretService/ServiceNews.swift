/// What a ``ServiceListener`` hears. Signals name no secret, come in dozens and some before the fact, so news says little.
package enum ServiceNews: Hashable, Sendable {
    /// Any item may have been created, changed or deleted; also said when listening begins, and when it begins anew.
    case anythingMayHaveChanged
    /// The default collection was locked.
    case locked
    /// The default collection was unlocked.
    case unlocked
    /// The service or the bus went; why calls fail now.
    case gone(SecretServiceError)
}
