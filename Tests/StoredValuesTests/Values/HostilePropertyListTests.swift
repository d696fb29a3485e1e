import Foundation
import Testing

@testable import StoredValues

/// What is imported may come from anywhere, and Foundation trusts it.
@Suite("Hostile property lists", .hangLimit)
struct HostilePropertyListTests {
    private let processes = TestProcesses()
}

extension HostilePropertyListTests {
    /// A binary property list of these objects, of which the first holds the others; each is given its references' bytes.
    private static func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += bigEndian(UInt32(bytes.count))
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 4]
        for number in [UInt64(objects.count), 0, UInt64(table)] { bytes += bigEndian(number) }
        return bytes
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private static func reference(_ object: Int) -> [UInt8] { bigEndian(UInt32(object)) }

    /// A dictionary whose only key is "a" and whose value is the object 2, and that key.
    private static let dictionary: [[UInt8]] = [[0xD1] + reference(1) + reference(2), [0x51, 0x61]]

    /// A list in a list in a list …, so many times.
    private static func deep(_ depth: Int) -> [UInt8] {
        binary(dictionary + (0..<depth).map { [0xA1] + reference($0 + 3) } + [[0x09]])
    }

    /// So many lists, each of which holds the next one some times, and what nobody holds.
    private static func manifold(_ times: UInt8, _ depth: Int, inside: [UInt8] = [0x09], beside: [[UInt8]] = []) -> [UInt8] {
        let lists: [[UInt8]] = (0..<depth).map { list in [0xA0 | times] + (0..<times).flatMap { _ in reference(list + 3) } }
        return binary(dictionary + lists + [inside] + beside)
    }

    /// So many bytes of data.
    private static func data(_ count: Int) -> [UInt8] { [0x4F, 0x12] + bigEndian(UInt32(count)) + [UInt8](repeating: 0, count: count) }

    private static func xml(_ inside: String) -> [UInt8] { Array("<plist><dict><key>a</key>\(inside)</dict></plist>".utf8) }

    private static func nested(_ opening: String, _ closing: String, _ depth: Int, inside: String = "<true/>") -> String {
        String(repeating: opening, count: depth) + inside + String(repeating: closing, count: depth)
    }

    private static let tooLarge = "far larger than the file", tooDeep = "nested deeper than 512 levels", damaged = "not a property list"

    private static let refused: [(String, [UInt8], String)] = [
        ("lists that hold each other twice, 14 times over", manifold(2, 14), tooLarge),
        ("lists that hold each other four times, 10 times over", manifold(4, 10), tooLarge),
        ("40 times over, around a number", manifold(2, 40), tooLarge),
        ("20 times over, in a file that is large by something else", manifold(2, 20, beside: [data(5_000_000)]), tooLarge),
        ("a long text that is held often", manifold(2, 12, inside: [0x5F, 0x12] + bigEndian(UInt32(100_000)) + Array(repeating: 0x61, count: 100_000)), tooLarge),
        ("200,000 lists in each other, binary", deep(200_000), tooDeep),
        ("a list that holds itself", binary(dictionary + [[0xA1] + reference(2)]), tooDeep),
        ("a dictionary as its own key", binary([[0xD1] + reference(0) + reference(0)]), damaged),
        ("200,000 lists in each other, XML", xml(nested("<array>", "</array>", 200_000)), tooDeep),
        ("20,000 lists that are never closed", xml(String(repeating: "<array>", count: 20_000)), tooDeep),
        ("20,000 dictionaries in each other, XML", xml(nested("<dict><key>a</key>", "</dict>", 20_000)), tooDeep),
        ("closed in comments only", xml(nested("<array><!--</array>-->", "</array>", 20_000)), tooDeep),
        ("closed in instructions only", xml(nested("<array><?x </array>?>", "</array>", 20_000)), tooDeep),
        ("closed in texts only", xml(nested("<array><string><![CDATA[</array>]]></string>", "</array>", 20_000)), tooDeep),
        ("behind what could be two instructions", Array("<?><!-- ?>".utf8) + xml(nested("<array>", "</array>", 20_000)), damaged),
        ("with a mark and attributes", [0xEF, 0xBB, 0xBF] + xml(nested("<array x='/'>", "</array >", 20_000)), tooDeep),
        ("in UTF-16", [0xFF, 0xFE] + xml(nested("<array>", "</array>", 20_000)).flatMap { [$0, 0] }, damaged),
        ("as a text of NeXTSTEP's", Array("{a=\(nested("(", ")", 20_000, inside: "1"));}".utf8), damaged),
        ("a number of more than 64 bits", binary(dictionary + [[0x14] + bigEndian(UInt64(1)) + bigEndian(UInt64(5))]), damaged),
        ("a list of 2^62 elements", binary(dictionary + [[0xAF, 0x13] + bigEndian(UInt64(1) << 62)]), damaged),
        ("an element that is not there", binary(dictionary + [[0xA1] + reference(9)]), damaged),
    ]

    @Test("It is refused with its path and what is wrong, in a process of its own", arguments: refused.indices)
    func refusal(index: Int) async throws {
        let (name, bytes, reason) = Self.refused[index]
        try await withTemporaryFolder { folder in
            let path = folder + "/old.plist"
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let line = try await processes.start("import", folder + "/p.json", path).line()
            #expect(line?.hasPrefix("error: Nothing was imported from the UserDefaults in \"\(path)\".") == true, "\(name): \(line ?? "crashed")")
            #expect(line?.contains(reason) == true, "\(name): \(line ?? "crashed")")
        }
    }

    @Test("As data in a property list it stays data", arguments: [tooLarge, tooDeep, damaged])
    func inData(reason: String) throws {
        // One for each reason: whatever it is, nothing looks into it.
        let file = Self.refused.first { $0.2 == reason && $0.1.count < 10_000 }
        let bytes = try #require(file).1
        try withTemporaryFolder { folder in
            let list = ["a": Data(bytes)]
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            try data.write(to: URL(fileURLWithPath: folder + "/old.plist"))
            let report = try PreferencesFile(path: folder + "/p.json").importUserDefaults(at: folder + "/old.plist")
            #expect(report.keys == ["a": .imported(as: "a", from: .data)])
        }
    }

    @Test(
        "What is merely unusual is imported: shared lists, deep ones, sets of all kinds of marks",
        arguments: [
            manifold(2, 6), deep(500), xml(nested("<array>", "</array>", 500)),
            Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//x//y\" \"http://z\">\n<!-- <array> -->".utf8)
                + xml("<array><!-- </array> --><string><![CDATA[</array><array>]]></string><dict/><array/></array>"),
            binary(dictionary + [[0x14] + bigEndian(UInt64(0)) + bigEndian(UInt64.max)]),
        ])
    func unusual(bytes: [UInt8]) throws {
        try withTemporaryFolder { folder in
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/old.plist"))
            let report = try PreferencesFile(path: folder + "/p.json").importUserDefaults(at: folder + "/old.plist")
            #expect(report.keys == ["a": .imported(as: "a", from: .plain)])
        }
    }

    @Test("A whole number that a property list cannot hold is refused, and none is altered")
    func numbers() throws {
        try withTemporaryFolder { folder in
            let storage = PreferencesFile(path: folder + "/p.json"), path = folder + "/old.plist"
            for text in ["-9223372036854775809", "99999999999999999999"] {
                try Data(Self.xml("<integer>\(text)</integer>")).write(to: URL(fileURLWithPath: path))
                #expect(throws: PreferencesError.self) { try storage.importUserDefaults(at: path) }
            }
            try Data(Self.xml("<array><integer>-9223372036854775808</integer><integer>18446744073709551615</integer></array>"))
                .write(to: URL(fileURLWithPath: path))
            try storage.importUserDefaults(at: path)
            #expect(StoredValue(key: "a", default: [Int128](), storage: storage).wrappedValue == [Int128(Int64.min), Int128(UInt64.max)])
        }
    }
}
