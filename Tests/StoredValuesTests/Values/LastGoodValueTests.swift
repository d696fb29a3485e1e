import Foundation
import Logging
import Observation
import StoredValuesSupport
import Testing

@testable import StoredValues

@Suite("The last good value", .hangLimit)
struct LastGoodValueTests {}

extension LastGoodValueTests {
    struct TooLarge: Error {}

    private struct Style: Codable, Equatable, Sendable {
        var font = "Serif"
        var size = 12
        var note: String?
        var margins = [1, 1]
    }

    private func limit(_ storage: PreferencesFile, default standard: Int = 60, _ decoding: DecodingStrategy = .lenient) -> StoredValue<Int> {
        StoredValue(
            key: "limit", default: standard, decoding: decoding,
            validate: { limit in
                if limit > 100 { throw TooLarge() }
                return max(limit, 1)
            }, storage: storage)
    }

    private func withStorage(_ text: String, _ body: (File) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            try await body(File(path: path, storage: .ofAnotherProcess(path)))
        }
    }

    /// A file that somebody else writes.
    private struct File {
        let path: String
        let storage: PreferencesFile

        /// Writes as somebody else does, and returns when that was read.
        func write(_ text: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            // A change of another key reads the file again.
            StoredValue(key: "tick", default: 0, storage: storage).update { $0 += 1 }
        }
    }

    private enum Shape: Codable, Equatable { case circle(radius: Int), square(side: Int) }

    @Test("What was good is not completed from the default where a part of another case is broken")
    func otherCase() async throws {
        try await withStorage(#"{"shape": {"square": {"side": 1}}}"#) { file in
            let value = StoredValue(key: "shape", default: Shape.circle(radius: 3), storage: file.storage)
            #expect(value.wrappedValue == .square(side: 1))
            try file.write(#"{"shape": {"circle": {"radius": "bad"}}}"#)
            #expect(value.wrappedValue == .square(side: 1))
            #expect(value.repairs.map(\.action) == [.usedLastGood])
        }
    }

    @Test("Who subscribes while the value is broken gets the last good one first, even if it is set before that is taken")
    func subscribedWhileBroken() async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            let value = StoredValue(key: "limit", default: 60, storage: file.storage)
            #expect(value.wrappedValue == 7)
            try file.write(#"{"limit": "x"}"#)
            var values = value.values.makeAsyncIterator()
            value.set(9)
            #expect(await values.next() == 7)
            #expect(await values.next() == 9)
        }
    }

    @Test(
        "A value broken by another program leaves the last good one in use, for all wrappers, and the file keeps the broken one",
        arguments: [
            #""limit": "x""#, #""limit": null"#, #""limit": 7.5"#, #""limit": {"a": 1}"#, #""limit": 500"#, #""limit": "\ud800""#,
            #""limit": 8, "$versions": {"limit": 3}"#,
        ], [DecodingStrategy.lenient, .strict])
    func broken(member: String, decoding: DecodingStrategy) async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            let value = limit(file.storage, decoding)
            #expect(value.wrappedValue == 7)
            try file.write("{\(member)}")
            // Also the one that reads first now, and has another default.
            #expect(limit(file.storage, default: 30).wrappedValue == 7)
            #expect(value.wrappedValue == 7 && value.isStored)
            #expect(value.repairs.map(\.action) == [.usedLastGood] && value.repairs.map(\.path) == [""])
            #expect(limit(file.storage).repairs == value.repairs)
            try file.write(#"{"limit": [1]}"#)
            #expect(value.wrappedValue == 7, "however often it is broken")
            #expect(try JSONValue(parsing: Array(contents(ofFile: file.path).utf8))["limit"] == [1])
            try file.write(#"{"limit": -4}"#)
            #expect(value.wrappedValue == 1 && value.repairs.isEmpty)
            try file.write("{\(member)}")
            #expect(value.wrappedValue == 1)
        }
    }

    @Test("Observers of the repairs are notified when another program repairs the value, though it is the same as before")
    func observedRepairs() async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            let value = limit(file.storage)
            #expect(value.wrappedValue == 7)
            try file.write(#"{"limit": "x"}"#)
            let isTold = Guarded(false)
            withObservationTracking {
                #expect(value.repairs.count == 1)
            } onChange: {
                isTold.withLock { $0 = true }
            }
            try file.write(#"{"limit": 7}"#)
            try await eventually("the observer is told") { isTold.withLock { $0 } }
            #expect(value.wrappedValue == 7 && value.repairs.isEmpty)
        }
    }

    @Test("At a start, with nothing good known, the default is read; and once the value was absent, it is again")
    func start() async throws {
        try await withStorage(#"{"limit": "x"}"#) { file in
            let value = limit(file.storage)
            #expect(value.wrappedValue == 60 && value.repairs.map(\.action) == [.usedDefault])
            try file.write(#"{"limit": "y"}"#)
            #expect(value.wrappedValue == 60 && value.repairs.map(\.action) == [.usedDefault])
            try file.write(#"{"limit": 7}"#)
            #expect(value.wrappedValue == 7)
            try file.write("{}")
            #expect(value.wrappedValue == 60)
            try file.write(#"{"limit": "z"}"#)
            #expect(value.wrappedValue == 60 && value.repairs.map(\.action) == [.usedDefault])
        }
    }

    @Test("A value that came and was not read before the next one was good all the same")
    func unread() async throws {
        try await withStorage(#"{"limit": 7, "style": {"size": 7}}"#) { file in
            let value = limit(file.storage)
            let plain = StoredValue(key: "style", default: Style(), storage: file.storage)
            _ = (value.isStored, plain.isStored)  // they know the texts, and have read nothing
            try file.write(#"{"limit": 5, "style": {"size": 5, "font": 1}}"#)
            try file.write(#"{"limit": "x", "style": {"size": "x"}}"#)
            try file.write(#"{"limit": 500, "style": 1}"#)
            #expect(value.wrappedValue == 5)
            #expect(plain.wrappedValue == Style(size: 5))
            for number in 0..<20 { try file.write(#"{"limit": "\#(number)", "style": {"margins": \#(number)}}"#) }
            #expect(value.wrappedValue == 5)
            #expect(plain.wrappedValue == Style(), "what is missing comes from the default")
        }
    }

    @Test("Only the members that are broken stay as they were; what is missing comes from the default")
    func members() async throws {
        try await withStorage(#"{"style": {"font": "Sans", "size": 20, "note": "n", "margins": [2, 3]}}"#) { file in
            let style = StoredValue(key: "style", default: Style(), storage: file.storage)
            #expect(style.wrappedValue == Style(font: "Sans", size: 20, note: "n", margins: [2, 3]))
            try file.write(#"{"style": {"font": 5, "size": 30, "note": 1, "margins": [9, "x"]}}"#)
            #expect(style.wrappedValue == Style(font: "Sans", size: 30, note: "n", margins: [9]))
            #expect(style.repairs.map(\.path).sorted() == ["font", "margins[1]", "note"])
            #expect(style.repairs.allSatisfy { $0.action == ($0.path == "margins[1]" ? .removed : .usedLastGood) })
            // What was repaired is the last good value of the next one.
            try file.write(#"{"style": {"font": "Mono", "size": null}}"#)
            #expect(style.wrappedValue == Style(font: "Mono", size: 30))
            #expect(style.repairs.map(\.path) == ["size"] && style.repairs.map(\.action) == [.usedLastGood])
            let strict = StoredValue(key: "style", default: Style(), decoding: .strict, storage: file.storage)
            #expect(strict.wrappedValue == Style(font: "Sans", size: 30, note: "n", margins: [9]), "the whole")
            #expect(StoredValue(key: "style", default: Style(), storage: file.storage).repairs == style.repairs)
        }
    }

    @Test("A member that is missing takes its default: no repair, not even where repairs are turned off", arguments: [DecodingStrategy.lenient, .strict])
    func missing(decoding: DecodingStrategy) async throws {
        try await withStorage(#"{"style": {"size": 20}}"#) { file in
            let style = StoredValue(key: "style", default: Style(font: "Sans"), decoding: decoding, storage: file.storage)
            #expect(style.wrappedValue == Style(font: "Sans", size: 20) && style.repairs.isEmpty)
            try file.write(#"{"style": {"font": "Mono"}}"#)
            #expect(style.wrappedValue == Style(font: "Mono") && style.repairs.isEmpty)
        }
    }

    @Test("A value set in this process is the last good one")
    func ownSet() async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            let value = limit(file.storage)
            #expect(value.wrappedValue == 7)
            value.set(8)
            try file.write(#"{"limit": "x"}"#)
            #expect(value.wrappedValue == 8)
            value.update { $0 += 1 }
            #expect(value.wrappedValue == 9 && value.repairs.isEmpty, "an update begins with what is read")
            try file.write(#"{"limit": "x"}"#)
            #expect(value.wrappedValue == 9)
            value.reset()
            #expect(value.wrappedValue == 60 && value.repairs.isEmpty)
            try file.write(#"{"limit": "x"}"#)
            #expect(value.wrappedValue == 60)
        }
    }

    @Test("Where wrappers validate differently, each keeps what was good for it")
    func differentValidations() async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            let value = limit(file.storage)
            let plain = StoredValue(key: "limit", default: 0, storage: file.storage)
            #expect(value.wrappedValue == 7 && plain.wrappedValue == 7)
            try file.write(#"{"limit": 500}"#)
            #expect(plain.wrappedValue == 500 && value.wrappedValue == 7)
            try file.write(#"{"limit": "x"}"#)
            #expect(value.wrappedValue == 7)
            plain.set(-5)
            #expect(plain.wrappedValue == -5 && value.wrappedValue == 1)
        }
    }

    @Test("A failed migration leaves the last good value in use")
    func migration() async throws {
        struct Failing: VersionedItem, Equatable {
            struct Unknown: Error {}
            static let version = 1
            var number = 0
            static func migrate(_ json: inout JSONValue, from version: Int) throws { throw Unknown() }
        }
        try await withStorage(#"{"item": {"number": 7}, "$versions": {"item": 1}}"#) { file in
            let value = StoredValue(key: "item", default: Failing(), storage: file.storage)
            #expect(value.wrappedValue == Failing(number: 7))
            try file.write(#"{"item": {"number": 8}}"#)
            #expect(value.wrappedValue == Failing(number: 7) && value.repairs.map(\.action) == [.usedLastGood])
        }
    }

    @Test("A stream yields nothing while a break leaves the value as it was", arguments: [false, true], [false, true])
    func stream(isRead: Bool, isValidated: Bool) async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            let value = isValidated ? limit(file.storage) : StoredValue(key: "limit", default: 60, storage: file.storage)
            var values = value.values.makeAsyncIterator()
            #expect(await values.next(isolation: nil) == 7)
            for text in ["\"x\"", "5", "null", "{}", "\"y\""] {
                try file.write(#"{"limit": \#(text)}"#)
                if isRead { _ = value.wrappedValue }
            }
            #expect(await values.next(isolation: nil) == 5)
            value.set(8)
            try file.write(#"{"limit": []}"#)
            value.set(9)
            #expect(await values.next(isolation: nil) == 8)
            #expect(await values.next(isolation: nil) == 9)
        }
    }

    @Test("It is logged once, however many readers there are; missing parts are not logged")
    func logging() async throws {
        await #expect(processExitsWith: .success) {
            LoggingSystem.bootstrap { _ in RecordingLogHandler() }
            try await withTemporaryFolder { folder in
                let path = folder + "/p.json"
                try #"{"limit": 7, "style": {"size": 3}}"#.write(toFile: path, atomically: false, encoding: .utf8)
                let storage = PreferencesFile.ofAnotherProcess(path)
                let limit = StoredValue(key: "limit", default: 60, in: 1...100, storage: storage)
                let style = StoredValue(key: "style", default: Style(), storage: storage)
                var values = limit.values.makeAsyncIterator()
                #expect(await values.next(isolation: nil) == 7)
                #expect(style.wrappedValue == Style(size: 3))
                try #require(RecordingLogHandler.takeLines() == [])
                try #"{"limit": "x", "style": {"size": "x"}}"#.write(toFile: path, atomically: true, encoding: .utf8)
                StoredValue(key: "tick", default: 0, storage: storage).set(1)
                for _ in 0..<3 {
                    #expect(limit.wrappedValue == 7)
                    #expect(style.wrappedValue == Style(size: 3))
                    #expect(StoredValue(key: "limit", default: 60, in: 1...100, storage: storage).wrappedValue == 7)
                    #expect(StoredValue(key: "limit", default: 60, storage: storage).wrappedValue == 7)
                    #expect(StoredValue(key: "style", default: Style(), storage: storage).wrappedValue == Style(size: 3))
                }
                limit.set(8)
                #expect(await values.next(isolation: nil) == 8)
                // That one wrapper validates and one does not is told, too.
                let lines = RecordingLogHandler.takeLines().filter { !$0.contains("two validations") }
                try #require(lines.count == 2, "\(lines)")
                try #require(lines[0].contains(#""limit" in "\#(path)": The value keeps its last good value"#))
                try #require(lines[1].contains(#""style" in "\#(path)": "size" keeps its last good value"#))
            }
        }
    }

    @Test("It is known even if no wrapper is kept, as in a program that makes one for each request", arguments: 0..<3)
    func forEachRequest(_ number: Int) async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            func request() -> Int { limit(file.storage).value }
            func write(_ text: String) throws {
                try text.write(toFile: file.path, atomically: true, encoding: .utf8)
                file.storage.reload()
            }
            #expect(request() == 7)
            for broken in [#"{"limit": "x"}"#, #"{"limit": 500}"#, #"{"limit": null}"#] {
                try write(broken)
                for _ in 0...number { #expect(request() == 7) }
            }
            try write(#"{"limit": 9}"#)
            #expect(request() == 9)
            try write(#"{"limit": "x"}"#)
            #expect(request() == 9)
            limit(file.storage).reset()
            try write(#"{"limit": "x"}"#)
            #expect(request() == 60, "nothing was stored, so the default was in use")
        }
    }

    @Test("It outlives a wrapper that has not read what is broken, whether it was stored by another program or by this one", arguments: [true, false])
    func releasedUnread(isOwn: Bool) async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            func value() -> StoredValue<Int> { StoredValue(key: "limit", default: 60, storage: file.storage) }
            do {
                let value = value()
                #expect(value.value == 7)
                if isOwn { value.set(8) }
                try file.write(#"{"limit": "x"}"#)
                withExtendedLifetime(value) {}
            }
            #expect(value().value == (isOwn ? 8 : 7) && value().repairs.map(\.action) == [.usedLastGood])
            try file.write(#"{"limit": "y"}"#)
            #expect(value().value == (isOwn ? 8 : 7))
        }
    }

    @Test("Who makes a wrapper while another thread releases the last one gets what that leaves")
    func madeWhileReleased() async throws {
        try await withStorage("{}") { file in
            let store = file.storage.store, found = OneShot<Int?>(), isFound = DispatchSemaphore(value: 0)
            do {
                let member = store.member("limit", Int.self) { _, _ in
                    LeavingMember(store, 7) {
                        Thread.detachNewThread {
                            found.answer(store.member("limit", Int.self) { LeavingMember(store, $1 as? Int) {} }.lastGood)
                            isFound.signal()
                        }
                        _ = isFound.wait(timeout: .now() + .milliseconds(100))  // which is enough to come too early
                    }
                }
                withExtendedLifetime(member) {}
            }
            #expect(await found.wait(cancelled: nil) == 7)
        }
    }

    @Test("Its removal by another program is known even while no wrapper is kept")
    func removedBetweenRequests() async throws {
        try await withStorage(#"{"limit": 7}"#) { file in
            func request() -> Int { limit(file.storage).value }
            #expect(request() == 7)
            for text in ["{}", #"{"limit": "x"}"#] {
                try text.write(toFile: file.path, atomically: true, encoding: .utf8)
                file.storage.reload()
            }
            #expect(request() == 60, "nothing was stored, so the default was in use")
        }
    }

    @Test("Who begins to read a broken value and is overtaken by a change of ours reads what that has set, not the default")
    func overtaken() async throws {
        try await withStorage(#"{"item": {"number": 7}}"#) { file in
            let value = StoredValue(key: "item", default: Interrupted(number: 60), storage: file.storage)
            #expect(value.wrappedValue.number == 7)
            try file.write(#"{"item": {"number": "x"}}"#)
            Interrupted.onDecoding.withLock { $0 = { onAnotherThread { value.set(Interrupted(number: 8)) } } }
            #expect(value.wrappedValue.number == 8 && value.repairs.isEmpty)
        }
    }

    /// An item during whose decoding something else happens, once.
    private struct Interrupted: Codable, Sendable {
        static let onDecoding = Guarded<(@Sendable () -> Void)?>(nil)
        var number: Int

        init(number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            Self.onDecoding.withLock { $0.take() }?()
            number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
        }
    }

    @Test("It is what another process breaks, and an editor that writes in place")
    func others() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/p.json"
            let value = limit(PreferencesFile(path: path))
            let seen = Collector(value.values)
            try await seen.wait(for: [60])
            value.set(7)
            try await seen.wait(for: [60, 7])
            let processes = TestProcesses()
            let other = try processes.start("set-text", path, "limit", "fast")
            #expect(try await other.lines() == ["done"])
            try await eventually("the break is known") { !value.repairs.isEmpty }
            #expect(value.wrappedValue == 7)
            let mark = StoredValue(key: "mark", default: 0, storage: value.storage)
            try #"{"limit": "slow", "mark": 1}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await eventually("the editor's is known") { mark.wrappedValue == 1 }
            #expect(value.wrappedValue == 7 && !value.repairs.isEmpty)
            try #"{"limit": 9}"#.write(toFile: path, atomically: false, encoding: .utf8)
            try await seen.wait(for: [60, 7, 9])
            #expect(value.repairs.isEmpty)
        }
    }
}

/// A live value that leaves a last good value, and does something before that while it is released.
private final class LeavingMember: LiveMember {
    let lastGood: Int?
    private let store: PreferencesStore
    private let whileReleased: @Sendable () -> Void

    init(_ store: PreferencesStore, _ lastGood: Int?, whileReleased: @escaping @Sendable () -> Void) {
        (self.store, self.lastGood, self.whileReleased) = (store, lastGood, whileReleased)
    }

    deinit {
        whileReleased()
        store.forget("limit", lastGood: lastGood)
    }

    var itemType: any Any.Type { Int.self }
    func beginChange() {}
    func take(_: MemberChange, _: inout AfterUnlocking) {}
    func endChange() {}
    func notifyObservers() {}
    func claimVariable() {}
}
