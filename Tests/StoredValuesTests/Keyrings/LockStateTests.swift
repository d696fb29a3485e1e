import Testing

@testable import StoredValuesSecretService

@Suite("What is known of a lock")
struct LockStateTests {}

extension LockStateTests {
    @Test("Locking and unlocking are reported once; an unchanged or unknown state is not")
    func news() {
        var lock = LockState()
        let seen: [Bool?] = [true, true, false, false, true, nil, true, nil, false, nil]
        let news = seen.map { lock.note(isOpen: $0, at: 0) }
        #expect(news == [nil, nil, .locked, nil, .unlocked, nil, nil, nil, .locked, nil])
    }

    @Test("An unknown state ends neither the looking at a locked one nor the news of its unlocking, and is looked at itself")
    func unknownMeanwhile() {
        var lock = LockState()
        var news: [ServiceNews?] = [], pauses: [Int64?] = []
        for isOpen in [nil, nil, false, nil, nil, true, nil, true] as [Bool?] {
            news.append(lock.note(isOpen: isOpen, at: 0))
            pauses.append(lock.nextCheck.map { $0 / 1_000 })
        }
        #expect(news == [nil, nil, .locked, nil, nil, .unlocked, nil, nil])
        #expect(pauses == [500, 1000, 500, 1000, 2000, nil, 500, nil])
    }

    @Test("One that is open where that was not known before may have been locked")
    func unknownAtFirst() {
        var lock = LockState()
        let news = [nil, true].map { lock.note(isOpen: $0, at: 0) }
        #expect(news == [nil, .unlocked])
    }

    @Test("Found locked at first, that is news")
    func first() {
        var lock = LockState()
        let news = lock.note(isOpen: false, at: 0)
        #expect(news == .locked)
    }

    @Test("While it is locked it is looked at again, less and less often; else it is not")
    func looks() {
        var lock = LockState()
        var pauses: [Int64?] = []
        for isOpen in [true, false, false, false, false, false, false, true, false] as [Bool] {
            _ = lock.note(isOpen: isOpen, at: 1_000)
            pauses.append(lock.nextCheck.map { ($0 - 1_000) / 1_000 })
        }
        #expect(pauses == [nil, 500, 1000, 2000, 4000, 8000, 8000, nil, 500])
    }
}
