import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("ChangeBroadcaster", .hangLimit)
struct ChangeBroadcasterTests {}

extension ChangeBroadcasterTests {
    @Test("An iterator that goes leaves nothing behind, and the others continue")
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

    @Test("Announcing while listeners are cancelled, each from a thread of its own, ends")
    func announcingMeanwhile() async throws {
        let broadcaster = ChangeBroadcaster()
        let announcing = Thread { while !Thread.current.isCancelled { broadcaster.announce(.anySecret) } }
        announcing.start()
        defer { announcing.cancel() }
        for _ in 0..<3_000 {
            let changes = broadcaster.changes.subscribe()
            let listener = Task { for await _ in changes {} }
            await Task.yield()
            await offPool { listener.cancel() }
        }
        try await eventually("nobody listens") { broadcaster.listenerCount == 0 }
    }

    @Test("Every listener gets all that is announced while it listens, in the same order as the others")
    func order() async {
        let broadcaster = ChangeBroadcaster()
        let listeners = (0..<3).map { _ in
            let changes = broadcaster.changes.subscribe()
            return Task {
                var heard: [KeyringChange] = []
                for await change in changes {
                    if change == .locked { break }
                    heard.append(change)
                }
                return heard
            }
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<500 { broadcaster.announce(.secret(.init(service: "\(thread)", account: "\(number)"))) }
        }
        broadcaster.announce(.locked)
        let heard = await listeners[0].value
        #expect(Set(heard).count == 2_000)
        for thread in 0..<4 {
            let numbers = heard.compactMap { change -> Int? in
                guard case .secret(let id) = change, id.service == "\(thread)" else { return nil }
                return Int(id.account)
            }
            #expect(numbers == Array(0..<500))
        }
        for listener in listeners { #expect(await listener.value == heard) }
    }

    @Test("What hears others is made for the first who listens, with no lock held, and goes with the last one")
    func source() async throws {
        final class Source: Sendable {}
        final class Sources: Sendable {
            private struct Weak { weak var source: Source? }
            private let made = Guarded<[Weak]>([])
            var count: Int { made.withLock { $0.count } }
            var areGone: Bool { made.withLock { $0.allSatisfy { $0.source == nil } } }
            func make() -> Source {
                let source = Source()
                made.withLock { $0.append(Weak(source: source)) }
                return source
            }
        }
        let broadcaster = ChangeBroadcaster()
        let sources = Sources(), second = Guarded<AsyncStream<KeyringChange>?>(nil)
        let changes = broadcaster.changes {
            // Somebody else begins to listen meanwhile.
            if sources.count == 0 { second.withLock { $0 = broadcaster.changes { sources.make() }.subscribe() } }
            return sources.make()
        }
        do {
            let first = changes.subscribe()
            var two = try #require(second.withLock { $0.take() }).makeAsyncIterator()
            #expect(await two.next() == .anySecret, "it was there before the source, and is to look again")
            #expect(sources.count == 1 && !sources.areGone)
            withExtendedLifetime(first) {}
        }
        #expect(broadcaster.listenerCount == 0 && sources.areGone)
        let third = changes.subscribe()
        #expect(sources.count == 2 && !sources.areGone)
        withExtendedLifetime(third) {}
    }
}
