import Foundation
import Synchronization
import Testing

@testable import StoredValues

@Suite("ReadyItem", .hangLimit)
struct ReadyItemTests {
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

    @Test("Whoever reads while another thread changes the value gets the old item or the new one, never parts of both")
    func neverTorn() async {
        await neverTorn(Eight.init) { Set($0.numbers).count == 1 }
        await neverTorn(Text.init) { $0.left == $0.right }
    }

    @Test("Neither the item that was replaced nor, in the end, the last one stays in memory")
    func letGo() {
        final class Object: Sendable {}
        weak var first: Object?
        weak var second: Object?
        do {
            let ready = ReadyItem<Object>(ContentSignal())
            let objects = (Object(), Object())
            (first, second) = objects
            _ = ready.prepare(objects.0)
            _ = ready.prepare(objects.1)
            _ = try? ready.itemIfAny()
        }
        #expect(first == nil && second == nil)
    }

    private func neverTorn<Item: Codable & Sendable>(
        _ make: @escaping @Sendable (Int) -> Item, _ isWhole: @escaping @Sendable (Item) -> Bool
    ) async {
        let ready = ReadyItem<Item>(ContentSignal())
        let live = LiveContent(make(0), signal: ready.signal) { ready.clear() }
        let isDone = Flag()
        let torn = await withTaskGroup(of: Int.self) { group in
            group.addTask {
                for number in 1...20_000 {
                    var aftermath = Aftermath()
                    live.change(to: make(number), &aftermath)
                    aftermath.settle()
                    let (item, revision) = live.current
                    live.makeReady(ifStill: revision) { ready.prepare(item) }
                }
                isDone.isSet = true
                return 0
            }
            group.addTask {
                var torn = 0
                while !isDone.isSet {
                    if let item = try? ready.item(orIfAbsent: make(0)), !isWhole(item) { torn += 1 }
                }
                return torn
            }
            return await group.reduce(0, +)
        }
        #expect(torn == 0)
    }

    @Test("What is ready is the content: after a change it is not ready, and what was asked for before does not make it so")
    func followsTheContent() throws {
        let ready = ReadyItem<Int>(ContentSignal())
        let live = LiveContent(1, signal: ready.signal) { ready.clear() }
        #expect(throws: NotReady.self) { try ready.item(orIfAbsent: 0) }
        let (first, revision) = live.current
        live.makeReady(ifStill: revision) { ready.prepare(first) }
        #expect(try ready.item(orIfAbsent: 0) == 1)

        var aftermath = Aftermath()
        live.change(to: 2, &aftermath)
        aftermath.settle()
        #expect(throws: NotReady.self) { try ready.item(orIfAbsent: 0) }
        live.makeReady(ifStill: revision) { ready.prepare(first) }
        #expect(throws: NotReady.self) { try ready.item(orIfAbsent: 0) }
        live.makeReady(ifStill: live.current.revision, isAbsent: true) { nil }
        #expect(try ready.item(orIfAbsent: 3) == 3)
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
