#if Fleet
    import Foundation
    import StoredValues
    import Testing

    @testable import StoredValuesFleet

    /// What is decided apart from the wire.
    @Suite("Decisions about a cluster's answers")
    struct FleetDecisionsTests {
        private let keys: FleetKeys

        init() throws { keys = try FleetKeys(applicationID: "demo") }
    }

    extension FleetDecisionsTests {
        private func entry(_ key: String, _ value: String = #"{"value": 1}"#, revision: Int) -> EtcdKeyValue {
            EtcdKeyValue(key: keys.settings + Data(key.utf8), value: Data(value.utf8), revision: revision)
        }

        // MARK: Changes

        private func change() -> FleetChange {
            FleetChange(
                steps: [
                    FleetChange.Step(key: Data([1]), found: entry("a", revision: 7), new: Data([9])),
                    FleetChange.Step(key: Data([2]), found: nil, new: nil),
                ],
                logKey: Data([3]), mark: Data([4]), record: FleetLogRecord(time: "t", writer: "w", changes: []))
        }

        @Test("A transaction makes its changes and its record only where nothing was changed and no earlier attempt was made; else it reads all")
        func transaction() throws {
            let change = change(), transaction = try JSONValue(parsing: change.transaction.body)
            #expect(change.transaction.path == "/v3/kv/txn" && change.transaction.isChange)
            #expect(
                transaction["compare"] == [
                    ["key": "Aw==", "target": "MOD", "mod_revision": "0"], ["key": "AQ==", "target": "MOD", "mod_revision": "7"],
                    ["key": "Ag==", "target": "MOD", "mod_revision": "0"],
                ])
            #expect(
                transaction["success"] == [
                    ["request_put": ["key": "AQ==", "value": "CQ=="]], ["request_delete_range": ["key": "Ag=="]],
                    ["request_put": ["key": "BA==", "value": "Aw=="]],
                    ["request_put": ["key": "Aw==", "value": .string(change.record.data.base64EncodedString())]],
                ])
            #expect(transaction["failure"] == .array(["Aw==", "AQ==", "Ag=="].map { ["request_range": ["key": .string($0), "revision": "0"]] }))
        }

        @Test("A transaction is made if it says so or its record is there; without it others were first; what does not fit means nothing")
        func verdict() {
            func answer(_ succeeded: Bool, _ found: [EtcdKeyValue?]) -> EtcdAnswer {
                EtcdAnswer(cluster: "1", revision: 20, succeeded: succeeded, found: found)
            }
            let log = entry("log", revision: 12), theirs = entry("a", revision: 15)
            #expect(change().verdict(answer(true, [])) == .made(decision: 1))
            #expect(change().verdict(answer(false, [log, nil, nil])) == .made(decision: 1))
            #expect(change().verdict(answer(false, [log, theirs, nil])) == .made(decision: 1))
            #expect(change().verdict(answer(false, [nil, theirs, nil])) == .conflict([theirs, nil]))
            for count in [0, 1, 2, 4] { #expect(change().verdict(answer(false, Array(repeating: nil, count: count))) == nil) }
        }

        /// What etcd keeps, as far as a `FleetChange` is concerned.
        private struct Store {
            private var entries: [Data: (value: Data, revision: Int)] = [:]
            private var revision = 1

            func found(_ key: Data) -> EtcdKeyValue? { entries[key].map { EtcdKeyValue(key: key, value: $0.value, revision: $0.revision) } }

            mutating func put(_ key: Data, _ value: Data?) {
                revision += 1
                entries[key] = value.map { ($0, revision) }
            }

            mutating func make(_ change: FleetChange) throws -> EtcdAnswer {
                let transaction = try JSONValue(parsing: change.transaction.body)
                let now = [EtcdStep.lastChange(of: change.logKey, is: 0)] + change.steps.map { EtcdStep.lastChange(of: $0.key, is: entries[$0.key]?.revision ?? 0) }
                let holds = transaction["compare"] == .array(now) && entries[change.logKey] == nil
                func bytes(_ text: JSONValue?) -> Data? { text?.stringValue.flatMap { Data(base64Encoded: $0) } }
                for operation in transaction["success"]?.arrayValue ?? [] where holds {
                    if let put = operation["request_put"], let key = bytes(put["key"]) { self.put(key, bytes(put["value"])) }
                    if let key = bytes(operation["request_delete_range"]?["key"]) { put(key, nil) }
                }
                let there = (transaction["failure"]?.arrayValue ?? []).compactMap { bytes($0["request_range"]?["key"]) }.map { found($0) }
                return EtcdAnswer(cluster: "1", revision: revision, succeeded: holds, found: holds ? [] : there)
            }
        }

        @Test("An attempt that expects nothing and comes after others have stored and removed that is known by its decision")
        func delayed() throws {
            var store = Store()
            let key = Data([1])
            func decide(_ number: Int, on found: EtcdKeyValue?, _ new: String) -> FleetChange {
                FleetChange(
                    steps: [FleetChange.Step(key: key, found: found, new: Data(new.utf8))], logKey: Data([3]), mark: Data([4]),
                    record: FleetLogRecord(time: "t", writer: "w", changes: [], decision: number))
            }
            let first = decide(1, on: nil, "first")
            store.put(key, Data("others'".utf8))
            // A second attempt of the first decision overtakes the first one.
            let conflict = try store.make(first)
            guard case .conflict(let found)? = first.verdict(conflict) else { return #expect(Bool(false), "no conflict") }
            #expect(first.mayStillHappen(after: conflict))
            let second = decide(2, on: found[0], "second")
            store.put(key, nil)
            #expect(try first.verdict(store.make(first)) == .made(decision: 1))
            // Whatever others do then.
            #expect(try second.verdict(store.make(second)) == .made(decision: 1))
            store.put(key, nil)
            #expect(try second.verdict(store.make(second)) == .made(decision: 1) && first.verdict(store.make(first)) == .made(decision: 1))
            // Without the delay it is the second one.
            var other = Store()
            other.put(key, Data("others'".utf8))
            let again = decide(2, on: other.found(key), "second")
            #expect(try again.verdict(other.make(again)) == .made(decision: 2) && again.verdict(other.make(again)) == .made(decision: 2))
            // A record that says nothing sensible is of the last decision.
            for text in ["", "x", #"{"changes": [], "decision": 9}"#, #"{"changes": [], "decision": -1}"#] {
                #expect(FleetChange.decision(of: Data(text.utf8), last: 2) == 2)
            }
            #expect(FleetChange.decision(of: Data(#"{"changes": []}"#.utf8), last: 2) == 1)
        }

        @Test("An attempt may still be made after a conflict if all that it misses can be missing again: of the settings, and the schema")
        func stillPossible() {
            func entry(_ revision: Int) -> EtcdKeyValue? { revision == 0 ? nil : EtcdKeyValue(key: Data([1]), value: Data(), revision: revision) }
            func mayStillHappen(_ expected: [Int], schema: Int?, now: [Int]) -> Bool {
                let steps = expected.map { FleetChange.Step(key: Data([1]), found: entry($0), new: Data("new".utf8)) }
                let record = FleetLogRecord(time: "t", writer: "w", changes: [], decision: 1)
                let change = FleetChange(
                    steps: steps, logKey: Data([3]), mark: Data([4]), record: record, schema: schema.map { (Data([5]), $0) })
                return change.mayStillHappen(after: EtcdAnswer(cluster: "1", revision: 9, succeeded: false, found: [nil] + now.map(entry)))
            }
            #expect(mayStillHappen([0], schema: nil, now: [7]))
            #expect(!mayStillHappen([5], schema: nil, now: [7]) && !mayStillHappen([5], schema: nil, now: [0]))
            #expect(mayStillHappen([0, 5], schema: nil, now: [7, 5]) && !mayStillHappen([0, 5], schema: nil, now: [7, 6]))
            #expect(mayStillHappen([5], schema: 0, now: [5, 8]), "the schema can be withdrawn again")
            #expect(!mayStillHappen([0], schema: 4, now: [7, 8]), "it is another one")
        }

        // MARK: Watching

        private func message(
            _ revision: Int, cluster: String = "1", created: Bool? = nil, canceled: Bool? = nil, compacted: Int? = nil, why: String? = nil,
            events: [Int] = []
        ) -> EtcdAnswer {
            EtcdAnswer(
                cluster: cluster, revision: revision, isCreated: created ?? false, isCanceled: canceled ?? false, compacted: compacted ?? 0, reason: why,
                events: self.events(events))
        }

        private func events(_ revisions: [Int]) -> [EtcdEvent] { revisions.map { EtcdEvent(entry: entry("a", revision: $0)) } }

        @Test("An answer on a watch is changes, nothing, a reason to read everything again, or a refusal")
        func watch() {
            func verdict(_ message: EtcdAnswer) -> WatchVerdict { WatchVerdict(message, after: 10, in: "1") }
            #expect(verdict(message(10, created: true)) == .nothing)
            #expect(verdict(message(50, created: true)) == .nothing)
            #expect(verdict(message(9)) == .nothing)  // progress, of a member that is behind
            #expect(verdict(message(11, events: [11])) == .changes(events([11]), revision: 11))
            #expect(verdict(message(14, events: [11, 13, 13])) == .changes(events([11, 13, 13]), revision: 13))
            for again in [
                message(9, created: true), message(11, cluster: "2", events: [11]), message(11, cluster: "2", canceled: true),
                message(11, canceled: true, compacted: 30), message(10, events: [10]), message(12, events: [11, 9]), message(3, events: [3]),
            ] {
                guard case .readAgain = verdict(again) else { return #expect(Bool(false), "\(again)") }
            }
            #expect(verdict(message(11, canceled: true, why: "no")) == .refused(why: "no"))
            guard case .refused = verdict(message(11, canceled: true)) else { return #expect(Bool(false)) }
        }

        @Test("A watch that lags gets a thousand revisions at a time, each part with the revision of the cluster: none is taken for repeated")
        func lagging() {
            guard case .changes(_, let revision) = WatchVerdict(message(5000, events: Array(11...1010)), after: 10, in: "1") else {
                return #expect(Bool(false))
            }
            #expect(revision == 1010)
            #expect(WatchVerdict(message(5000, events: [1011, 2000]), after: revision, in: "1") == .changes(events([1011, 2000]), revision: 2000))
        }

        @Test("A replica is fresh, behind, or of another history, by the number of settings and the last change")
        func confirmation() {
            var replica = SettingsReplica(
                EtcdAnswer(cluster: "1", revision: 10, entries: [entry("everyone/a", revision: 4), entry("everyone/b", revision: 8)]), keys)
            func answer(_ revision: Int, _ count: Int, _ last: Int?, cluster: String = "1") -> EtcdAnswer {
                EtcdAnswer(cluster: cluster, revision: revision, entries: last.map { [entry("everyone/x", revision: $0)] } ?? [], count: count)
            }
            #expect(replica.confirm(answer(10, 2, 8), askedAt: 10) == .fresh)
            #expect(replica.isConfirmed(answer(10, 0, nil)) && replica.confirm(answer(10, 0, nil), askedAt: 10) == .fresh)
            #expect(replica.confirm(answer(99, 2, 8), askedAt: 10) == .fresh)
            // Where the cluster has changed nothing since, that alone says so.
            #expect(replica.isConfirmed(answer(99, 0, nil)) && replica.confirm(answer(99, 0, nil), askedAt: 10) == .fresh)
            #expect(!replica.isConfirmed(answer(98, 0, nil)) && !replica.isConfirmed(answer(100, 0, nil)))
            #expect(!replica.isConfirmed(answer(99, 0, nil, cluster: "2")))
            // A change; a removal; an addition; all removed; one removed and one added.
            let changes: [(count: Int, last: Int?)] = [(2, 12), (1, 8), (3, 12), (0, nil), (2, 11)]
            for change in changes {
                var replica = replica
                #expect(replica.confirm(answer(12, change.count, change.last), askedAt: 10) == .behind)
                // It did not come until the next question.
                #expect(replica.confirm(answer(12, change.count, change.last), askedAt: 10) == .readAgain(why: "the watch has missed a change"))
            }
            // Something came between the questions, or all had come.
            var late = replica
            #expect(late.confirm(answer(12, 3, 12), askedAt: 10) == .behind)
            late.apply([EtcdEvent(entry: entry("everyone/c", revision: 11))], revision: 11)
            #expect(late.confirm(answer(12, 4, 12), askedAt: 11) == .behind)
            #expect(late.confirm(answer(12, 3, 11), askedAt: 11) == .fresh)
            #expect(late.confirm(answer(13, 4, 13), askedAt: 11) == .behind)
            guard case .readAgain = replica.confirm(answer(9, 2, 8), askedAt: 10) else { return #expect(Bool(false)) }
            guard case .readAgain = replica.confirm(answer(10, 2, 8, cluster: "2"), askedAt: 10) else { return #expect(Bool(false)) }
            // What came meanwhile on the watch is later than the answer.
            replica.apply([EtcdEvent(isDeletion: true, entry: entry("everyone/b", revision: 13))], revision: 13)
            #expect(replica.confirm(answer(12, 2, 8), askedAt: 10) == .fresh)
            #expect(replica.isConfirmed(answer(13, 0, nil)) && !replica.isConfirmed(answer(99, 0, nil)))
            #expect(replica.confirm(answer(13, 1, 4), askedAt: 13) == .fresh)
        }

        // MARK: What a machine keeps

        @Test("Only what a cluster without settings cannot have lost takes a machine's settings away")
        func mirror() {
            func mirror(_ isEmpty: Bool) -> FleetMirror {
                FleetMirror(origin: .init(cluster: "1", revision: 10), values: isEmpty ? [:] : ["a": .init(json: 1, version: 0)])
            }
            func verdict(
                isEmpty: Bool, _ cluster: String, _ revision: Int, mirror: FleetMirror?, known: FleetMirror.Origin? = .init(cluster: "1", revision: 20)
            ) -> MirrorVerdict {
                MirrorVerdict(isEmpty: isEmpty, origin: .init(cluster: cluster, revision: revision), mirror: mirror, known: known)
            }
            #expect(verdict(isEmpty: false, "2", 3, mirror: mirror(false)) == .adopt)
            #expect(verdict(isEmpty: true, "2", 3, mirror: nil, known: nil) == .adopt)
            #expect(verdict(isEmpty: true, "2", 3, mirror: mirror(true)) == .adopt)
            // Others may have brought a cluster that lost everything as far.
            for revision in 20...21 { #expect(verdict(isEmpty: true, "1", revision, mirror: mirror(false)) == .adoptIfRemoved(since: 20)) }
            guard case .keep = verdict(isEmpty: true, "1", 19, mirror: mirror(false)) else { return #expect(Bool(false)) }
            guard case .keep = verdict(isEmpty: true, "2", 99, mirror: mirror(false)) else { return #expect(Bool(false)) }
        }

        // MARK: Waiting

        @Test("Waits grow up to a limit, are never alike on two machines, and begin anew after a success")
        func backoff() {
            var backoff = Backoff(first: .seconds(1), longest: .seconds(5))
            #expect((0..<5).map { _ in backoff.next(by: 1) } == [1, 2, 4, 5, 5].map { .seconds($0) })
            backoff.reset()
            #expect(backoff.next(by: 0.5) == .milliseconds(500))
            for _ in 0..<100 {
                var other = Backoff(first: .seconds(4), longest: .seconds(8))
                #expect((.seconds(2)...(.seconds(4))).contains(other.next()) && (.seconds(4)...(.seconds(8))).contains(other.next()))
            }
            var one = Backoff(first: .seconds(1), longest: .seconds(1))
            #expect(Set((0..<20).map { _ in one.next() }).count > 1)
        }

        @Test("A thousand agents that failed at one moment do not come back at one, and none waits for more than 30 s")
        func herd() {
            #expect(FleetAgent.interval + EtcdGateway.attemptLimit < FleetReport.freshness)
            var agents = Array(repeating: (time: Duration.zero, backoff: FleetAgent.backoff), count: 1000)
            for _ in 0..<8 {
                for index in agents.indices {
                    let wait = agents[index].backoff.next()
                    #expect(wait > .zero && wait <= .seconds(30))
                    agents[index].time += wait
                }
                // Tenths of a second. At first there are five of them, so that 200 agents in each are to be expected.
                let crowds = Dictionary(grouping: agents) { Int($0.time / .milliseconds(100)) }
                #expect(crowds.values.allSatisfy { $0.count < 300 })
            }
        }

        // MARK: Lines

        @Test("Lines of a stream are whole wherever it is cut, and what follows the last one is kept apart", arguments: 1...9)
        func lines(part: Int) throws {
            let text = Array("one\n\ntwo \u{E9}\n\n\nthree\nrest".utf8)
            var lines = EtcdLines()
            var found: [String] = []
            for start in stride(from: 0, to: text.count, by: part) {
                let whole = lines.append(Array(text[start..<min(start + part, text.count)]))
                found += try #require(whole).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(found == ["one", "two \u{E9}", "three"])
            #expect(lines.rest == Array("rest".utf8))
            let last = lines.append(Array("\n".utf8)), none = lines.append([])
            #expect(last == [Array("rest".utf8)] && none == [] && lines.rest.isEmpty)
        }
    }
#endif
