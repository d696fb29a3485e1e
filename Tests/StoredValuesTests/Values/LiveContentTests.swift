import Testing

@testable import StoredValues

@Suite("LiveContent", .hangLimit)
struct LiveContentTests {
    @Test("A reader gets changes in the order in which they were made, whoever is woken first")
    func commitOrder() async {
        let live = LiveContent(0)
        let subscription = live.subscribe(.unlimited)
        var first = Aftermath(), second = Aftermath()
        live.change(to: 1, &first)
        live.change(to: 2, &second)
        second.settle()
        first.settle()
        for expected in 0...2 { #expect(await subscription.next(isolation: nil) == expected) }
    }
}
