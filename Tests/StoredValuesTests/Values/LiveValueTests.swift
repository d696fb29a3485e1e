import Foundation
import StoredValuesSupport
import Synchronization
import Testing

@testable import StoredValues

@Suite("LiveValue", .hangLimit)
struct LiveValueTests {}

extension LiveValueTests {
    @Test("A reader gets changes in the order in which they were made, in whatever order readers are woken")
    func commitOrder() async {
        let live = LiveValue<Int, Int>(0)
        var values = LiveValues<Int>(subscribe: { live.subscribe(.unlimited) }, makeTransform: { { $0 } }).makeAsyncIterator()
        var first = AfterUnlocking(), second = AfterUnlocking()
        live.change(to: 1, &first)
        live.change(to: 2, &second)
        second.run()
        first.run()
        for expected in 0...2 { #expect(await values.next() == expected) }
    }

    /// Lies in words.
    struct Eight: Codable, Equatable {
        var numbers: [Int] { [a, b, c, d, e, f, g, h] }
        private var a, b, c, d, e, f, g, h: Int
        init(_ number: Int) { (a, b, c, d, e, f, g, h) = (number, number, number, number, number, number, number, number) }
    }

    /// Holds a reference.
    struct Text: Codable, Equatable {
        var left: String
        var right: String
        init(_ number: Int) {
            left = String(repeating: "\(number)", count: 20)
            right = left
        }
    }

    @Test("A read during a change gets the old item or the new one, never parts of both")
    func neverTorn() async {
        await neverTorn(Eight.init) { Set($0.numbers).count == 1 }
        await neverTorn(Text.init) { $0.left == $0.right }
    }

    private func neverTorn<Item: Codable & Sendable>(
        _ make: @escaping @Sendable (Int) -> Item, _ isWhole: @escaping @Sendable (Item) -> Bool
    ) async {
        let live = LiveValue<Item, Item>(make(0))
        let isDone = Flag()
        let torn = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                for number in 1...20_000 {
                    var later = AfterUnlocking()
                    live.change(to: make(number), &later)
                    later.run()
                    let (item, revision) = live.current
                    live.makeReady(Box(item), ifStill: revision)
                }
                isDone.isSet = true
                return 0
            }
            group.addTask {
                var torn = 0
                while !isDone.isSet {
                    if let item = live.ready.item() ?? nil, !isWhole(item) { torn += 1 }
                }
                return torn
            }
            return await group.reduce(0, +)
        }
        #expect(torn == 0)
    }

    // MARK: Items of every kind

    struct Empty: Equatable {}
    struct Three: Equatable { var a, b, c: UInt8 }
    struct Padded: Equatable { var first: Bool, second: Int64, third: Bool }
    struct Fifteen: Equatable { var number: Int64, a: Int32, b: Int16, c: Int8 }
    struct Nine: Equatable { var eight: Eight, one: UInt8 }
    enum Plain: Equatable { case nothing, number(Int32), pair(UInt8, Double) }
    enum Counted: Equatable { case nothing, text(String), list([Int]) }

    @Test("An item of any size, alignment and kind is read as it was made ready, and another one after a change")
    func everyKind() throws {
        try reads((), ()) { _, _ in true }
        try reads(Empty(), Empty())
        try reads(true, false)
        try reads(UInt8.max, 1)
        try reads(Three(a: 1, b: 2, c: 3), Three(a: 255, b: 0, c: 255))
        try reads(Fifteen(number: -1, a: 2, b: -3, c: 4), Fifteen(number: 5, a: -6, b: 7, c: -8))
        try reads(Padded(first: true, second: .min, third: true), Padded(first: false, second: .max, third: true))
        try reads(-0.5, Double.infinity)
        try reads(SIMD2<Double>(1, 2), SIMD2(3, 4))  // at a multiple of 16
        try reads(SIMD16<Float>(repeating: 1), SIMD16(repeating: 2))
        try reads(Eight(7), Eight(-7))
        try reads(Nine(eight: Eight(1), one: 2), Nine(eight: Eight(3), one: 4))
        try reads(Plain.nothing, .number(-5))
        try reads(Plain.pair(200, .infinity), .nothing)
        try reads(Counted.nothing, .text("a text that is too long to lie in its own bytes"))
        try reads(Counted.list([1, 2, 3]), .nothing)
        try reads("short", "a text that is too long to lie in its own bytes")
        try reads([[1], [2, 3]], [])
        try reads(["a": 1], [:])
        try reads(UUID(), UUID())
        try reads(Date(timeIntervalSince1970: 0.1), .distantFuture)
    }

    @Test("An item that is nil is one: what is absent is another thing")
    func optionals() throws {
        try reads(Int?.some(1), nil)
        try reads(Bool?.none, true)
        try reads(Int??.some(nil), .none)
        try reads(String?.none, "a text that is too long to lie in its own bytes")
        try reads(Plain?.some(.nothing), nil)
    }

    private func reads<Item: Equatable & Sendable>(
        _ first: Item, _ second: Item, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try reads(first, second, sourceLocation: sourceLocation, by: ==)
    }

    private func reads<Item: Sendable>(
        _ first: Item, _ second: Item, sourceLocation: SourceLocation = #_sourceLocation, by areEqual: (Item, Item) -> Bool
    ) throws {
        let live = LiveValue<Int, Item>(0)
        for item in [first, second] {
            live.makeReady(Box(item), ifStill: live.current.revision)
            for _ in 0..<2 {
                let prepared = try #require(live.ready.item(), sourceLocation: sourceLocation)
                let ready = try #require(prepared, sourceLocation: sourceLocation)
                #expect(areEqual(ready, item), sourceLocation: sourceLocation)
            }
            change(live)
            #expect(isUnprepared(live), sourceLocation: sourceLocation)
            live.makeReady(nil, ifStill: live.current.revision)
            let absent = try #require(live.ready.item(), sourceLocation: sourceLocation)
            #expect(absent == nil, sourceLocation: sourceLocation)
            change(live)
        }
    }

    private func isUnprepared<Item>(_ live: LiveValue<Int, Item>) -> Bool { if case .none = live.ready.item() { true } else { false } }

    private func change<Item>(_ live: LiveValue<Int, Item>) {
        var later = AfterUnlocking()
        live.change(to: live.current.content + 1, &later)
        later.run()
    }

    // MARK: What is ready

    @Test("What is ready is the content: after a change it is not ready, and what was asked for before does not make it so")
    func followsTheContent() {
        let live = LiveValue<Int, Int>(1)
        #expect(isUnprepared(live))
        let (first, revision) = live.current
        live.makeReady(Box(first), ifStill: revision)
        #expect(live.ready.item() == 1)

        change(live)
        #expect(isUnprepared(live))
        live.makeReady(Box(first), ifStill: revision)
        #expect(isUnprepared(live))
        live.makeReady(nil, ifStill: live.current.revision)
        #expect(live.ready.item() == .some(nil))
        change(live)
        live.makeReady(Box(4), ifStill: live.current.revision)
        #expect(live.ready.item() == 4)
    }

    @Test("Neither the item that was replaced nor, in the end, the last one stays in memory")
    func letGo() {
        final class Object: Sendable {}
        weak var first: Object?
        weak var second: Object?
        do {
            let live = LiveValue<Int, Object>(0)
            let objects = (Object(), Object())
            (first, second) = objects
            live.makeReady(Box(objects.0), ifStill: live.current.revision)
            change(live)
            live.makeReady(Box(objects.1), ifStill: live.current.revision)
            _ = live.ready.item()
        }
        #expect(first == nil && second == nil)
    }

    @Test("When a set returns, nothing holds the class any more that it replaced, though it was read before")
    func replacedClassGoes() throws {
        final class Item: Codable, Sendable {}
        try withTemporaryFolder { folder in
            let value = StoredValue<Item?>(key: "item", storage: PreferencesFile(path: folder + "/preferences.json"))
            weak var old: Item?
            do {
                let item = Item()
                old = item
                value.set(item)
            }
            for _ in 0..<3 { #expect(value.wrappedValue === old) }
            value.set(nil)
            #expect(old == nil)
        }
    }
}

private final class Flag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool {
        get { flag.load(ordering: .acquiring) }
        set { flag.store(newValue, ordering: .releasing) }
    }
}
