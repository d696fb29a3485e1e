import Testing

@testable import StoredValuesSecretService

@Suite("A burst of signals")
struct SignalBurstTests {}

extension SignalBurstTests {
    @Test("It ends when no signal has come for a while")
    func quiet() {
        var burst = SignalBurst()
        burst.note(.items, at: 1_000)
        burst.note(.items, at: 31_000)
        #expect(burst.end == 81_000)
        let isOver = [burst.take(at: 80_999) != nil, burst.take(at: 81_000) != nil, burst.take(at: 1_000_000) != nil]
        #expect(isOver == [false, true, false])
        #expect(burst.end == nil)
    }

    @Test("A storm does not keep it from ending")
    func storm() {
        var burst = SignalBurst()
        var ends: [Int64] = []
        for now in stride(from: Int64(0), to: 1_000_000, by: 10_000) {
            if burst.take(at: now) != nil { ends.append(now) }
            burst.note(.items, at: now)
        }
        #expect(ends == [250_000, 500_000, 750_000])
    }

    @Test("It concerns locks when one of its signals does, and the next one does not for that")
    func locks() {
        var burst = SignalBurst()
        burst.note(.items, at: 0)
        burst.note(.locks, at: 1)
        burst.note(.items, at: 2)
        let first = burst.take(at: 1_000_000)
        burst.note(.items, at: 1_000_000)
        let second = burst.take(at: 2_000_000)
        #expect(first?.concernsLocks == true && second?.concernsLocks == false)
    }
}
