package import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

/// A time that all processes of this machine agree on, and that no change of the clock moves.
package struct BootMoment: Sendable, Equatable, Codable {
    /// Identifies this start of the machine, and its clock where there are several (time_namespaces(7)); empty if unknown.
    let boot: String
    /// Nanoseconds since the machine started, time in which it slept included.
    let nanoseconds: Int64
    /// What the calendar said then: for people, never for comparisons.
    package let date: Date

    package static var now: BootMoment {
        BootMoment(boot: currentBoot, nanoseconds: bootNanoseconds(), date: .now)
    }

    /// How long ago it was; nil if it is of another boot, lies in the future, or the boot is not known.
    package var age: Duration? { age(at: .now) }

    /// The same at another time.
    package func age(at now: BootMoment) -> Duration? {
        guard !boot.isEmpty, boot.isIdentical(to: now.boot), (0...max(0, now.nanoseconds)).contains(nanoseconds) else { return nil }
        return .nanoseconds(now.nanoseconds - nanoseconds)
    }

    private static var currentBoot: String {
        let file = DurableFile(path: "/proc/sys/kernel/random/boot_id")
        guard let bytes = try? file.read()?.bytes, !bytes.isEmpty else { return "" }
        let id = String(decoding: bytes, as: UTF8.self).parts(separatedBy: "\n").joined()
        // Old kernels have no such namespaces.
        let clock = try? file.operations.readLink("/proc/self/ns/time")
        return clock.map { "\(id) \($0)" } ?? id
    }
}
