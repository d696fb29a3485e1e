import StoredValues
import StoredValuesToolSupport

/// Checks the settings that this machine shares with others.
enum FleetDoctor {
    /// How many keys are named in one finding.
    private static let limit = 20

    /// The findings about how fresh they are, and about what hides them.
    ///
    /// - Parameter application: The id of the program, if the file is named by that.
    static func findings(_ storage: PreferencesFile, _ inspections: [PreferencesInspection], of application: String?) -> [Finding] {
        guard let mirror = inspections.first(where: { $0.source == .fleet }) else { return [] }
        var findings: [Finding] = []
        // A file that cannot be read is a finding already.
        switch mirror.content {
        case .missing, .keys: findings += status(storage)
        case .broken, .unreadable: break
        }
        let keys = storage.snapshot.keys(hiding: .fleet)
        guard let first = keys.first else { return findings }
        let names = keys.prefix(limit).joined(separator: ", ") + (keys.count > limit ? " and \(keys.count - limit) more" : "")
        let program = application.map { " --app \($0.isPlainWord ? $0 : "<id>")" } ?? ""
        let command = "stored-values reset \(first.isPlainWord ? first : "<key>")\(program)"
        let advice = "To use the fleet's\(keys.count > 1 ? ", for each of them" : ""): \(command)"
        let text = "Values of \(inspections.first?.path ?? "the file") hide the fleet's values: \(names). \(advice)"
        return findings + [Finding(.settings, .note, text)]
    }

    private static func status(_ storage: PreferencesFile) -> [Finding] {
        let status = storage.fleetStatus
        return switch status {
        case .none: []
        case .current: [Finding(.settings, .fine, status.description)]
        case .stale: [Finding(.settings, .problem, status.description)]
        case .never: [Finding(.settings, .problem, "\(status) \(storage.fleetComplaint ?? "Look at the agent's log.")")]
        }
    }
}
