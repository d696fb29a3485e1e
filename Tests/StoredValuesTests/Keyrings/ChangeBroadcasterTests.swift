import Testing

@testable import StoredValues

@Suite("ChangeBroadcaster", .timeLimit(.minutes(2)))
struct ChangeBroadcasterTests {
    @Test("An iterator that goes leaves nothing behind, and the others go on")
    func listeners() async {
        let broadcaster = ChangeBroadcaster()
        #expect(broadcaster.listenerCount == 0)
        var staying = broadcaster.changes.makeAsyncIterator()
        do {
            var going = broadcaster.changes.makeAsyncIterator()
            #expect(broadcaster.listenerCount == 2)
            broadcaster.announce(.anySecret)
            #expect(await going.next() == .anySecret)
        }
        #expect(broadcaster.listenerCount == 1)
        broadcaster.announce(.locked)
        #expect(await staying.next() == .anySecret)
        #expect(await staying.next() == .locked)
    }

    @Test("A task that iterates and is cancelled leaves nothing behind")
    func cancellation() async {
        let broadcaster = ChangeBroadcaster()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let listener = Task {
            var changes = broadcaster.changes.makeAsyncIterator()
            begin.finish()
            while await changes.next() != nil {}
        }
        for await _ in begun {}
        #expect(broadcaster.listenerCount == 1)
        listener.cancel()
        await listener.value
        #expect(broadcaster.listenerCount == 0)
    }
}
