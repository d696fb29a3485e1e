import Dispatch
import Testing

@testable import StoredValuesSupport

@Suite("WeakTable", .hangLimit)
struct WeakTableTests {
    private let table = WeakTable<[UInt8], Member>()
}

extension WeakTableTests {
    /// An object that goes back to its table when it goes: under the table's lock that would never end.
    private final class Member: Sendable {
        let key: [UInt8]
        let table: WeakTable<[UInt8], Member>

        init(_ key: [UInt8], in table: WeakTable<[UInt8], Member>) { (self.key, self.table) = (key, table) }

        deinit { table.remove(key) }
    }

    private func member(_ key: String) -> Member {
        let key = Array(key.utf8)
        return table.object(for: key) { Member(key, in: table) }
    }

    @Test("There is one object for a key as long as it is in use, and another one after that")
    func shared() {
        var first: Member? = member("a")
        let other = member("b")
        #expect(first === member("a") && first !== other && table[Array("a".utf8)] === first)
        #expect(Set(table.objects.map(ObjectIdentifier.init)) == [ObjectIdentifier(other), ObjectIdentifier(first!)])
        first = nil
        #expect(table[Array("a".utf8)] == nil && table.objects.count == 1)
        #expect(member("a") !== other)
    }

    @Test("Keys are distinguished by their bytes")
    func bytes() {
        let (composed, decomposed) = (member("caf\u{E9}"), member("cafe\u{301}"))
        #expect(composed !== decomposed)
    }

    @Test("Making one may use the table, and throws what it throws")
    func making() {
        struct Refusal: Error {}
        let outer = table.object(for: [1]) {
            let inner = member("inner")
            return Member([1], in: inner.table)
        }
        #expect(outer === table[[1]])
        #expect(throws: Refusal.self) { try table.object(for: [2]) { () throws(Refusal) in throw Refusal() } }
        #expect(table[[2]] == nil)
    }

    @Test("The slower of two threads gets the other one's object")
    func late() {
        var faster: Member?
        let own = table.object(for: [1]) {
            faster = table.object(for: [1]) { Member([1], in: table) }
            return Member([1], in: table)
        }
        #expect(own === faster && table[[1]] === own)
    }

    @Test("An object that goes late does not take along the one that came after it")
    func successor() {
        let own = member("a")
        table.remove(own.key)
        #expect(table[own.key] === own)
    }

    @Test("An object that is wrong for its key by now leaves its place to the next one, and takes nothing along when it goes")
    func wrong() {
        let key = Array("a".utf8)
        var first: Member? = member("a")
        let second = table.object(for: key, ifStill: { $0 !== first }) { Member(key, in: table) }
        #expect(second !== first && table[key] === second)
        first = nil
        #expect(table[key] === second && member("a") === second)
    }

    @Test("Threads that use, drop and list the same few objects get one object each, and none goes under the lock")
    func threads() {
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for round in 0..<5_000 {
                let own = member("\(round % 3)")
                if round % 10 == 0 { #expect(table.objects.contains { $0 === own }) }
                #expect(table[own.key] === own)
            }
        }
        #expect(table.objects.isEmpty && table.capacity == 0)
    }

    @Test("After 100,000 objects the memory is returned, and those that stay are found")
    func memory() {
        var members = (0..<100_000).map { member("\($0)") }
        #expect(table.capacity >= 100_000)
        members.removeSubrange(100...)
        #expect(table.capacity <= 400)
        for (number, one) in members.enumerated() { #expect(member("\(number)") === one) }
        members = []
        #expect(table.capacity == 0)
    }
}
