import Foundation
import Testing

@testable import StoredValues

/// JSON that an older program stored, and what is to be read of it as today's type.
struct RepairCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Checks the case with a file at the path that it is given.
    let check: @Sendable (String) throws -> Void

    /// - Parameters:
    ///   - stored: The JSON text in the file.
    ///   - version: What the file says of the version that wrote it.
    ///   - parts: The paths of the repairs; none when all is read as it stands. `decoding: .strict` reads the default when there are any.
    init<Item: StorableItem & Equatable>(
        _ name: String, stored: String, version: Int? = nil, default standard: Item, reads expected: Item,
        repairing parts: [String] = []
    ) {
        testDescription = name
        check = { path in
            let versions = version.map { #", "$versions": {"a":  \#($0)}"# } ?? ""
            let text = #"{"a":   \#(stored)\#(versions)}"#
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            func open(_ decoding: DecodingStrategy, in file: PreferencesFile = .ofAnotherProcess(path)) -> StoredValue<Item> {
                StoredValue(key: "a", default: standard, decoding: decoding, storage: file)
            }
            let file = PreferencesFile.ofAnotherProcess(path), lenient = open(.lenient, in: file)
            #expect(lenient.wrappedValue == expected)
            #expect(lenient.repairs.map(\.path).sorted() == parts.sorted())
            #expect(lenient.isStored)

            let strict = open(.strict)
            #expect(strict.wrappedValue == (parts.isEmpty ? expected : standard))
            #expect(strict.repairs.map(\.path) == (parts.isEmpty ? [] : [""]))
            #expect(strict.isStored)
            #expect(open(.strict, in: file).wrappedValue == strict.wrappedValue, "what another wrapper repaired is no last good value")
            #expect(try contents(ofFile: path) == text, "reading changes nothing")

            lenient.set(expected, overwritingNewer: true)
            let again = open(.lenient)
            #expect(again.wrappedValue == expected)
            #expect(again.repairs.isEmpty, "what was set decodes as it is")
        }
    }
}
