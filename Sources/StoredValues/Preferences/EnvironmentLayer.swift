import StoredValuesSupport
import Synchronization

/// The variables of the environment, as a layer above a file. It is read-only, and changes only when keys are declared.
///
/// How a variable is read depends on its key's type. So a key claims its variable when it is first used, before anyone has read its
/// value. A variable that two keys claim is ignored.
final class EnvironmentLayer: Sendable {
    struct Claim: Sendable {
        let key: PreferencesKey
        let itemType: ObjectIdentifier
        let variable: String
        /// Its value, or why it is not a valid value of the key.
        let content: Result<StoredJSON, Explanation>

        var value: StoredJSON? { try? content.get() }

        /// What to log if it is not valid.
        var problem: String? {
            guard case .failure(let reason) = content else { return nil }
            return "The environment variable \(variable) is passed over for \"\(key.text)\": \(reason). Correct or unset it, and start the program again."
        }
    }

    let variables: EnvironmentVariables
    /// The claims of variables that are set.
    private let claims = Guarded<[PreferencesKey: Claim]>([:])

    init(_ variables: EnvironmentVariables) { self.variables = variables }

    /// The variable that a key is still to claim, and its text, which is nil if it is not UTF-8; nil if it has none, or has claimed it.
    func unclaimed(_ key: PreferencesKey, as itemType: ObjectIdentifier) -> (variable: String, text: String?)? {
        guard claims.withLock({ $0[key]?.itemType }) != itemType else { return nil }
        let variable = variables.name(of: key.text)
        return variables.texts[variable].map { (variable, $0) }
    }

    /// Notes the claim. Returns the keys that have another value now, and what to log.
    func take(_ claim: Claim) -> (changed: [PreferencesKey], problem: String?) {
        claims.withLock { claims in
            let others = claims.values.filter { $0.key != claim.key && $0.variable.isIdentical(to: claim.variable) }
            guard !others.isEmpty else {
                let old = claims.updateValue(claim, forKey: claim.key)
                return (old?.value == claim.value ? [] : [claim.key], claim.problem)
            }
            let names = ([claim.key] + others.map(\.key)).map(\.text).distinctKeys.map { "\"\($0)\"" }.joined(separator: " and ")
            let reason = Explanation("it could be \(names)")
            for key in [claim.key] + others.map(\.key) {
                claims[key] = Claim(key: key, itemType: claims[key]?.itemType ?? claim.itemType, variable: claim.variable, content: .failure(reason))
            }
            let problem = "The environment variable \(claim.variable) is ignored, because it could be \(names). Rename one of these keys."
            return (others.filter { $0.value != nil }.map(\.key), problem)
        }
    }

    /// The value of the variable of `key`.
    func content(of key: PreferencesKey) -> StoredJSON? { claims.withLock { $0[key]?.value } }

    /// The variable that has the value of `key`.
    func variable(of key: PreferencesKey) -> String? { claims.withLock { $0[key].flatMap { $0.value == nil ? nil : $0.variable } } }

    /// Why the variable of `key`, which is in use, is not a valid value; nil if it is valid, or not set.
    func problem(of key: String) -> String? { claims.withLock { $0[PreferencesKey(key)]?.problem } }

    /// All values, as in a file.
    var document: PreferencesDocument {
        let contents = claims.withLock { $0.compactMapValues(\.value) }
        return PreferencesDocument().applying(contents.mapValues { MemberChange($0) })
    }
}

extension PreferencesStore {
    /// Adds the variables as the layer above the file, unless it has one.
    func add(_ variables: EnvironmentVariables) {
        // First, so that a member that is created after all members are listed sees it, and claims its variable itself.
        hasVariables.store(true, ordering: .relaxed)
        let members = state.withLock { state in
            state.members.add(EnvironmentLayer(variables)) ? state.audience.members : []
        }
        for member in members { member.claimVariable() }
    }

    /// The variables above the file.
    var environment: EnvironmentLayer? { hasVariables.load(ordering: .relaxed) ? state.withLock { $0.members.environment } : nil }

    /// The error of a change of a key whose value is in a variable; nil if it is in none.
    func overridden(_ key: String) -> PreferencesError? {
        environment?.variable(of: PreferencesKey(key)).map { .overridden(key: key, by: $0) }
    }

    /// Claims a variable, and logs why it is passed over, if so.
    func claim(_ claim: EnvironmentLayer.Claim) {
        var later = AfterUnlocking()
        state.withLock { $0.claim(claim, &later) }
        finish(later)
    }
}
