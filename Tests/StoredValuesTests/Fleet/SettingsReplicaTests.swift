#if Fleet
    import Foundation
    import StoredValues
    import StoredValuesSupport
    import Testing

    @testable import StoredValuesFleet

    @Suite("What is known of a cluster's settings")
    struct SettingsReplicaTests {
        private let keys: FleetKeys

        init() throws { keys = try FleetKeys(applicationID: "demo") }
    }

    extension SettingsReplicaTests {
        private func entry(_ key: String, _ value: String = #"{"value": 1}"#, revision: Int) -> EtcdKeyValue {
            EtcdKeyValue(key: keys.settings + Data(key.utf8), value: Data(value.utf8), revision: revision)
        }

        @Test("By the key that each change puts a replica is fresh or behind; that says nothing of what others change, nor is it asked for where it is missing")
        func mark() {
            func marked(_ revision: Int, _ name: String = "log/1") -> EtcdKeyValue {
                EtcdKeyValue(key: keys.mark, value: Data(name.utf8), revision: revision)
            }
            var replica = SettingsReplica(
                EtcdAnswer(cluster: "1", revision: 10, entries: [entry("everyone/a", revision: 4), marked(4)]), keys)
            func answer(_ revision: Int, _ mark: EtcdKeyValue?) -> EtcdAnswer {
                EtcdAnswer(cluster: "1", revision: revision, entries: [mark].compactMap(\.self), count: mark == nil ? 0 : 1)
            }
            #expect(replica.mark != nil && replica.confirm(answer(99, marked(4)), .mark, askedAt: 10) == .fresh)
            // Others may have changed something until then.
            #expect(!replica.isConfirmed(answer(99, nil)) && replica.isConfirmed(answer(10, nil)))
            for missed in [marked(12), nil] {
                var replica = replica
                #expect(replica.confirm(answer(12, missed), .mark, askedAt: 10) == .behind && replica.isBehind)
                #expect(replica.confirm(answer(12, missed), .mark, askedAt: 10) == .readAgain(why: "the watch has missed a change"))
            }
            // It is no setting, for nobody's machine.
            #expect(replica.settings.count == 1 && replica.value(of: "a", forHost: "h", groups: []) != nil && replica.settingKeys == ["a"] && replica.broken.isEmpty)
            let changed = replica.apply([EtcdEvent(entry: entry("everyone/b", revision: 12)), EtcdEvent(entry: marked(12))], revision: 12)
            #expect(changed == ["b"] && replica.confirm(answer(13, marked(12)), .mark, askedAt: 12) == .fresh)
            // What a watch goes on from.
            #expect(replica.isContinued(by: marked(12), of: "1"))
            #expect(!replica.isContinued(by: marked(12), of: "2") && !replica.isContinued(by: nil, of: "1"))
            #expect(!replica.isContinued(by: marked(12, "log/2"), of: "1") && !replica.isContinued(by: marked(11), of: "1"))
            // What came after the mark may be of a history that was lost.
            for isDeletion in [true, false] {
                var replica = replica
                replica.apply([EtcdEvent(isDeletion: isDeletion, entry: entry("everyone/b", revision: 13))], revision: 13)
                #expect(!replica.isContinued(by: marked(12), of: "1"))
                replica.apply([EtcdEvent(entry: marked(14, "log/3"))], revision: 14)
                #expect(replica.isContinued(by: marked(14, "log/3"), of: "1"))
            }
            // From where a watch goes on, only a question for everything says that nothing is missing.
            #expect(replica.isConfirmed(answer(12, nil)))
            replica.resumeWatch()
            #expect(!replica.isConfirmed(answer(12, nil)) && replica.confirm(answer(12, marked(12)), .mark, askedAt: 12) == .fresh)
            #expect(replica.confirm(EtcdAnswer(cluster: "1", revision: 15, entries: [marked(12)], count: 3), askedAt: 12) == .fresh)
            #expect(replica.isConfirmed(answer(15, nil)))
        }

        @Test("A machine gets the narrowest setting that is not broken, whatever is set, broken and removed in turn", arguments: SeededGenerator.seeds(2))
        func one(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            var replica = SettingsReplica(EtcdAnswer(cluster: "1", revision: 1), keys)
            let groups = ["x", "y"], names = ["everyone", "group/x", "group/y", "group/z", "host/h", "host/other"]
            for revision in 2..<300 {
                let name = names.randomElement(using: &generator) ?? "", key = ["a", "b/c"].randomElement(using: &generator) ?? ""
                let text = Int.random(in: 0..<4, using: &generator) == 0 ? "broken" : #"{"value": \#(revision)}"#
                let event = EtcdEvent(isDeletion: .random(using: &generator), entry: entry("\(name)/\(key)", text, revision: revision))
                #expect(replica.apply([event], revision: revision) == [PreferencesKey(key)])
                for key in ["a", "b/c"] {
                    let records = ["host/h", "group/y", "group/x", "everyone"].compactMap { replica.entries[keys.settings + Data("\($0)/\(key)".utf8)]?.record }
                    #expect(replica.value(of: PreferencesKey(key), forHost: "h", groups: groups)?.json == records.first?.value)
                }
                let broken = replica.entries.values.compactMap { $0.record == nil ? $0.place : nil }
                #expect(replica.broken == Set(broken) && replica.settingKeys.isEmpty == replica.settings.isEmpty)
            }
        }
    }
#endif
