import Dispatch
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("What a thread is inside of", .hangLimit)
struct ThreadActivityTests {}

extension ThreadActivityTests {
    private func isReading(_ activity: ThreadActivity?) -> Bool { if case .reading = activity { true } else { false } }

    @Test("A thread is inside of what it began last, of one file and no other, and is out of it when that ends or throws")
    func innermost() {
        struct Refused: Error {}
        let (store, other) = (PreferencesFile.inMemory().store, PreferencesFile.inMemory().store)
        func now() -> ThreadActivity? { ThreadActivity.current(in: store) }
        #expect(now() == nil)
        store.batch {
            #expect(now() == .batch && ThreadActivity.current(in: other) == nil && SpecialReaders.all.exist)
            store.withConsistentValues {
                #expect(isReading(now()))
                #expect(ThreadActivity.turn(of: store) == .batch)
                #expect(throws: Refused.self) {
                    try store.change("set(_:)", of: "a") { _ in
                        #expect(now() == .change("set(_:)", key: "a"))
                        throw Refused()
                    }
                }
                try? ThreadActivity.validate("b") {
                    other.withConsistentValues { #expect(ThreadActivity.turn(of: other) == nil) }
                    throw Refused()
                }
                #expect(ThreadActivity.turn(of: store) == .batch)
            }
            #expect(now() == .batch)
        }
        #expect(now() == nil && ThreadActivity.turn(of: store) == nil)
    }

    @Test("Another thread is inside of nothing meanwhile, and does not keep what it was inside of from ending")
    func otherThread() throws {
        let store = PreferencesFile.inMemory().store
        let found = Guarded<[ThreadActivity?]>([])
        try store.batch {
            let isDone = DispatchSemaphore(value: 0)
            try startThread(named: "other") {
                store.withConsistentValues {
                    found.withLock { $0 = [ThreadActivity.turn(of: store), ThreadActivity.current(in: store)] }
                }
                isDone.signal()
            }
            isDone.wait()
        }
        let activities = found.withLock { $0 }
        #expect(activities.count == 2 && activities[0] == nil)
        #expect(isReading(activities.last ?? nil))
    }
}
