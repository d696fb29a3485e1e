import Foundation

@testable import StoredValues
@testable import StoredValuesFiles

/// The files that an agent keeps for the application "demo", written as it writes them.
struct FleetFiles {
    let folder: FleetFolder

    /// Those in the folder at `path`, which need not exist.
    init(_ path: String) throws {
        guard let folder = FleetFolder(path) else { throw BadPath(path: path) }
        self.folder = folder
    }

    private struct BadPath: Error { let path: String }

    var mirror: String { folder.mirror(of: "demo") }
    var report: String { folder.report(of: "demo") }

    /// Replaces the mirror durably.
    func mirror(_ values: [PreferencesKey: JSONValue], versions: [PreferencesKey: Int] = [:], revision: Int = 1) throws {
        let values = values.map { ($0, FleetMirror.Value(json: $1, version: versions[$0] ?? 0)) }
        let origin = FleetMirror.Origin(cluster: "cdf818194e3a8c32", revision: revision)
        try replace(mirror, with: FleetMirror(origin: origin, values: Dictionary(uniqueKeysWithValues: values)).bytes, durably: true)
    }

    /// Replaces the report.
    func report(_ state: FleetReport.State, confirmed: BootMoment? = .now) throws {
        try report(FleetReport(state: state, confirmed: confirmed).bytes)
    }

    func report(_ bytes: [UInt8]) throws { try replace(report, with: bytes, durably: false) }

    private func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws {
        try DurableFile(path: path).withLock { _ = try $0.replace(with: bytes, durably: durably) }
    }

    /// The file `name` beside the agent's folder, with the mirror below it and a file of system-wide defaults below that, as in
    /// another process.
    func open(_ name: String = "own.json") -> PreferencesFile {
        let file = PreferencesFile.ofAnotherProcess("\(folder.path)-\(name)")
        file.store.addLayers([mirror], of: .fleet, onTop: true)
        file.store.addLayers(["\(folder.path)-system.json"])
        return file
    }
}

/// Runs `body` with the files of an agent, of which nothing exists yet.
func withFleetFiles<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (FleetFiles) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { try await body(FleetFiles($0 + "/fleet")) }
}

extension BootMoment {
    /// This moment, earlier by `time`.
    func before(by time: Duration) -> BootMoment {
        BootMoment(boot: boot, nanoseconds: nanoseconds - Int64(time / .nanoseconds(1)), date: date.addingTimeInterval(-(time / .seconds(1))))
    }

    /// As much later as the machine's whole life, or of another boot.
    var inTheFuture: BootMoment { BootMoment(boot: boot, nanoseconds: nanoseconds * 2, date: date) }
    var ofAnotherBoot: BootMoment { BootMoment(boot: "another", nanoseconds: nanoseconds, date: date) }
}

extension FleetMirror {
    /// The file.
    var bytes: [UInt8] {
        var mirror = self
        return mirror.layOut()
    }
}
