import Testing

@testable import StoredValues

extension PowerCutTests {
    /// Something that keeps values from getting lost, left out of what happened; the replay must find that.
    struct Omission: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The name of a scenario in which it matters.
        let scenario: String
        /// The end of a path that is not read.
        var hidden: String?
        /// What takes an event's place, given all that happened before it.
        var change: @Sendable (DiskEvent, ArraySlice<DiskEvent>) -> [DiskEvent] = { event, _ in [event] }

        func events(of story: PowerCutStory) -> [DiskEvent] {
            let events = story.disk.events
            return events.indices.flatMap { change(events[$0], events[..<$0]) }
        }

        /// The same without the fsync of every path that ends so.
        static func fsync(_ pathSuffix: String, in scenario: String) -> Omission {
            Omission(testDescription: "the fsync of \(pathSuffix)", scenario: scenario) { event, _ in
                if case .synchronized(_, let path) = event, path.hasSuffix(pathSuffix) { [] } else { [event] }
            }
        }
    }
}

extension PowerCutTests.Omission {
    private static let file = "p.json"
    private static let generation = "p.json.durable"
    private static let flushes = "changes after a flush"
    private static let durable = "durable changes, and others before and after them"

    static let all = [
        fsync(".durable.stored-values.tmp", in: flushes),
        fsync("/editor", in: flushes),
        fsync(".durable.stored-values.tmp", in: durable),
        fsync("/editor", in: durable),
        fsync("/home/config", in: "a first change and flush"),
        fsync("/home/config", in: "one program makes the folders and is killed, and another flushes"),
        Self(
            testDescription: "the fsync of a file that was edited in place",
            scenario: "a person edits the file in place, and both are flushed"
        ) { event, before in
            guard case .synchronized(_, let path) = event, path.hasSuffix(file) else { return [event] }
            // The first is the one from before the edit.
            return before.contains { if case .synchronized(_, path) = $0 { true } else { false } } ? [] : [event]
        },
        Self(testDescription: "reading the generation", scenario: flushes, hidden: generation),
        Self(testDescription: "that the generation is a copy and not a link", scenario: flushes) { event, before in
            guard case .changed(let folder, var names) = event, names[generation] ?? nil != nil,
                let file = node(of: file, after: before)
            else { return [event] }
            names[generation] = file
            return [.changed(folder: folder, names)]
        },
        Self(testDescription: "that the generation's fsync comes before its renaming", scenario: flushes) { event, before in
            if case .synchronized(_, let path) = event, path.hasSuffix(".durable.stored-values.tmp") { return [] }
            guard case .changed(_, let names) = event, let copy = names[generation] ?? nil, names.count == 2 else { return [event] }
            return [event, .synchronized(copy, path: generation)]
        },
        Self(testDescription: "that the folder's fsync comes after the renaming", scenario: flushes) { event, before in
            if case .synchronized(_, let path) = event, path.hasSuffix("/editor") { return [] }
            guard case .changed(let folder, let names) = event, names[generation] ?? nil != nil, names.count == 2 else { return [event] }
            return [.synchronized(folder, path: "/editor"), event]
        },
        Self(
            testDescription: "that what is set aside keeps its name too",
            scenario: "a person breaks the file, and another program is started, changes a value and flushes"
        ) { event, _ in
            guard case .changed(let folder, var names) = event, names.keys.contains(where: { $0.contains(".rejected-") }) else {
                return [event]
            }
            names[file] = .some(nil)
            return [.changed(folder: folder, names)]
        },
        Self(testDescription: "the removal of a deleted file's generation", scenario: "a person deletes the file") { event, _ in
            guard case .changed(_, let names) = event, let node = names[generation], node == nil else { return [event] }
            return []
        },
    ]

    /// Which file has that name after `events`.
    private static func node(of name: String, after events: ArraySlice<DiskEvent>) -> Int? {
        for event in events.reversed() {
            if case .changed(_, let names) = event, let node = names[name] { return node }
        }
        return nil
    }
}
