import Foundation
import StoredValuesSupport
import Testing

/// The cases of tests that cannot run here. `Tests/run` names a file for them and says in one line how many there were.
enum SkippedCase {
    private static let file = ProcessInfo.processInfo.environment["STORED_VALUES_SKIPPED"]
    private static let reasons = Guarded<Set<String>>([])

    /// Ends the case. What `isRequired` must be there in continuous integration.
    static func end(because reason: String, isRequired: Bool = false) throws -> Never {
        if isRequired, ProcessInfo.processInfo.environment["CI"] == "true" { Issue.record("\(reason)") }
        // Swift 6.3 prints a cancelled case as a passed one and keeps the reason to itself.
        reasons.withLock { reasons in
            if let file {
                // Appended, so that no part of the tests loses another's line.
                let descriptor = open(file, O_WRONLY | O_APPEND | O_CLOEXEC)
                let line = Array("\(reason)\n".utf8)
                if write(descriptor, line, line.count) != line.count { Issue.record(SystemFailure("write to \(file)", errno)) }
                close(descriptor)
            } else if reasons.insert(reason).inserted {
                Issue.record("cases are skipped: \(reason)", severity: .warning)
            }
        }
        try Test.cancel("\(reason)")
    }
}
