import Testing

@testable import StoredValues

@Suite("When a live secret is read again")
struct ReloadPlanTests {
    @Test("Hints that come while it is read lead to one more reading, however many they are")
    func hints() {
        var plan = ReloadPlan()
        let begins = [plan.request(anew: true), plan.request(anew: true), plan.request(anew: true)]
        #expect(begins == [true, false, false])
        let again = [plan.readingEnded(isCurrent: true), plan.readingEnded(isCurrent: true)]
        #expect(again == [true, false])
        let next = plan.request(anew: true)
        #expect(next)
    }

    @Test("A read under way is enough for callers that only need an answer")
    func same() {
        var plan = ReloadPlan()
        let begins = [plan.request(anew: false), plan.request(anew: false)]
        #expect(begins == [true, false])
        let again = plan.readingEnded(isCurrent: true)
        #expect(!again)
    }

    @Test("An outdated answer is asked for once more")
    func outdated() {
        var plan = ReloadPlan()
        _ = plan.request(anew: false)
        let again = [plan.readingEnded(isCurrent: false), plan.readingEnded(isCurrent: true)]
        #expect(again == [true, false])
    }

    @Test("During changes of ours nothing is read; what was asked for is read after the last", arguments: [false, true])
    func changes(anew: Bool) {
        var plan = ReloadPlan()
        plan.changeBegan()
        plan.changeBegan()
        let begins = plan.request(anew: anew)
        #expect(!begins)
        let afterChanges = [plan.changeEnded(), plan.changeEnded()]
        #expect(afterChanges == [false, true])
        let again = plan.readingEnded(isCurrent: true)
        #expect(!again)
        plan.changeBegan()
        let unasked = plan.changeEnded()
        #expect(!unasked)
    }

    @Test("A reading that a change of ours outdated is repeated after the change, not beside it")
    func changeDuringReading() {
        var plan = ReloadPlan()
        _ = plan.request(anew: true)
        plan.changeBegan()
        let beside = plan.readingEnded(isCurrent: false)
        let after = plan.changeEnded()
        #expect(!beside && after)
    }

    @Test("The more readings in a row were outdated by changes of ours, the longer the next one is put off, to 200 ms")
    func rest() {
        var plan = ReloadPlan()
        _ = plan.request(anew: true)
        #expect(plan.rest == .zero)
        var rests: [Duration] = []
        for _ in 0..<100 {
            plan.changeBegan()
            _ = plan.readingEnded(isCurrent: false)
            _ = plan.changeEnded()
            rests.append(plan.rest)
        }
        #expect(rests.first == .milliseconds(10) && rests.last == .milliseconds(200))
        #expect(rests == rests.sorted())
        _ = plan.readingEnded(isCurrent: true)
        #expect(plan.rest == .zero)
    }

    @Test("Where nothing is known, a reading begins beside a change of ours, and is repeated after it if the change outdated it")
    func firstBesideChange() {
        var plan = ReloadPlan()
        plan.changeBegan()
        let begins = [plan.request(anew: false, isFirst: true), plan.request(anew: false, isFirst: true)]
        #expect(begins == [true, false])
        let beside = plan.readingEnded(isCurrent: false)
        let after = plan.changeEnded()
        #expect(!beside && after)
    }

    @Test("Of two answers the later question's counts; what is known of a change counts before all that were asked until then")
    func answers() {
        var plan = ReloadPlan()
        #expect(!plan.isAsked)
        let questions = [plan.ask(), plan.ask(), plan.ask()]
        #expect(plan.isAsked)
        let counts = [1, 0, 2].map { plan.accept(answerTo: questions[$0]) }
        #expect(counts == [true, false, true])
        let before = plan.ask()
        let known = plan.accept(answerTo: nil)
        let late = plan.accept(answerTo: before)
        #expect(known && !late)
        let beforeChange = plan.ask()
        plan.changeBegan(isKnown: true)
        let outdated = plan.accept(answerTo: beforeChange)
        let during = plan.ask()
        let current = plan.accept(answerTo: during)
        #expect(!outdated && current)
    }
}
