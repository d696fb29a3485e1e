import Foundation
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Reading a preferences file during a write", .hangLimit)
struct PreferencesReadingTests {}

extension PreferencesReadingTests {
    /// A file modified that long ago, with that inode; each state differs from the others.
    private func contents(_ text: String, inode: UInt64 = 1, age: Double = 0) -> FileContents {
        let modified = Int64((Date.now.timeIntervalSince1970 - age) * 1_000_000_000)
        let identity = FileIdentity(device: 1, inode: inode, size: Int64(text.utf8.count), modified: modified, changed: modified)
        return FileContents(bytes: Array(text.utf8), identity: identity)
    }

    /// What is found when each reading finds the next of `states`, and how many readings that took.
    private func read(
        _ states: [FileContents?], known: FileIdentity? = nil, patience: Duration = .seconds(60)
    ) throws -> (keys: [String]?, readings: Int) {
        var readings = 0
        let reading = try PreferencesReading(known: known, patience: patience) {
            readings += 1
            return states[min(readings, states.count) - 1]
        }
        return (try? reading.document.get().keys, readings)
    }

    @Test("A file that does not parse yet is read until it does")
    func halfWritten() throws {
        let found = try read([contents("{"), contents(#"{"a": "#), contents(#"{"a": 1}"#)])
        #expect(found.keys == ["a"] && found.readings == 3)
    }

    @Test("A file that never parses counts as broken when patience ends")
    func broken() throws {
        var readings = 0
        while readings < 2 {  // all of the patience may pass before the first one
            let found = try read([contents("{", age: 0)], patience: .milliseconds(50))
            #expect(found.keys == nil)
            readings = found.readings
        }
    }

    @Test("A file that has rested is not read twice, broken or not", arguments: ["{", #"{"a": 1}"#])
    func rested(text: String) throws {
        let found = try read([contents(text, age: 61)], known: contents("{}", age: 70).identity)
        #expect(found.readings == 1)
    }

    @Test("The known file, modified in place a moment ago, is read until it has rested")
    func inPlace() throws {
        let states = [contents(#"{"a": 1}"#), contents(#"{"a": 1, "b": 2}"#, age: 61)]
        let found = try read(states, known: contents("{}", age: 70).identity)
        #expect(found.keys == ["a", "b"] && found.readings == 2)
    }

    @Test("A new file that parses, none, and the known one unchanged are taken at once")
    func whole() throws {
        let known = contents("{}")
        for state in [contents(#"{"a": 1}"#, inode: 2), nil, known] {
            let found = try read([state], known: known.identity)
            #expect(found.readings == 1)
        }
    }
}
