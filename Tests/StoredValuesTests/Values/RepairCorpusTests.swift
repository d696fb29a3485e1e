import Foundation
import StoredValues
import Testing

@Suite("What is read of JSON that an older program stored")
struct RepairCorpusTests {}

extension RepairCorpusTests {
    @Test(
        "One bad part costs that part, a missing one nothing; strict decoding takes the default; the file stays; what is set decodes",
        arguments: all)
    func corpus(_ example: RepairCase) throws {
        try withTemporaryFolder { try example.check($0 + "/p.json") }
    }

    @Test("Repairs end, even if the default does not decode: it is used as it is")
    func defaultThatDoesNotDecode() throws {
        try withTemporaryFolder { folder in
            try #"{"a": {"title": "Other"}}"#.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
            let standard = Careful(careless: Careless(number: 11))
            let value = StoredValue(key: "a", default: standard, storage: PreferencesFile(path: folder + "/p.json"))
            #expect(value.wrappedValue == standard)
            #expect(value.repairs.map(\.path) == [""] && value.repairs.map(\.reason) == ["too large"])
        }
    }

    @Test("Of an enum whose cases can be listed, the reason lists them")
    func cases() throws {
        enum Pen: String, Codable, CaseIterable { case thin, thick }
        struct Drawing: Codable { var pens = [Pen.thin] }
        try withTemporaryFolder { folder in
            try #"{"a": {"pens": ["Thick", "thick"]}}"#.write(toFile: folder + "/p.json", atomically: false, encoding: .utf8)
            let value = StoredValue(key: "a", default: Drawing(), storage: PreferencesFile(path: folder + "/p.json"))
            #expect(value.value.pens == [.thick] && value.repairs.map(\.path) == ["pens[0]"])
            #expect(value.repairs.first?.reason.hasSuffix("; the cases are thin, thick") == true, "\(value.repairs)")
        }
    }

    @Test("The corpus has at least 40 pairs, each with a name of its own")
    func size() {
        #expect(Self.all.count >= 40)
        #expect(Set(Self.all.map(\.testDescription)).count == Self.all.count)
    }

    private static let all =
        fields + types + lists + dictionaries + optionals + enums + customs + positions + limits + versions

    private static let fields = [
        RepairCase(
            "A field was added", stored: #"{"size": 14, "name": "Sans"}"#, default: Settings(),
            reads: Settings(size: 14, name: "Sans")),
        RepairCase(
            "A field was removed", stored: #"{"size": 14, "name": "Sans", "wraps": false, "gone": [1]}"#, default: Settings(),
            reads: Settings(size: 14, name: "Sans", wraps: false)),
        RepairCase("A field was renamed and keeps its coding key", stored: #"{"size": 14}"#, default: Renamed(), reads: Renamed(fontSize: 14)),
        RepairCase(
            "A name that only looks like a field's is another one", stored: #"{"gro\u0308\u00DFe": 14, "note": "kept"}"#,
            default: Accented(), reads: Accented(note: "kept")),
        RepairCase(
            "A field was renamed, coding key and all", stored: #"{"fontSize": 14, "name": "Sans", "wraps": false}"#,
            default: Settings(size: 9), reads: Settings(size: 9, name: "Sans", wraps: false)),
        RepairCase("All fields are new", stored: "{}", default: Settings(size: 9), reads: Settings(size: 9)),
        RepairCase(
            "Two fields are bad, one of them deep inside",
            stored: #"{"frame": {"x": 7, "y": "far"}, "title": 5}"#, default: Window(),
            reads: Window(frame: Frame(x: 7, y: 2)), repairing: ["frame.y", "title"]),
        RepairCase("A nested object is missing", stored: #"{"title": "Side"}"#, default: Window(), reads: Window(title: "Side")),
        RepairCase(
            "One field is missing and another one bad, in one object", stored: #"{"frame": {"x": "far"}, "title": "Side"}"#,
            default: Window(), reads: Window(title: "Side"), repairing: ["frame.x"]),
        RepairCase(
            "A nested object is something else", stored: #"{"frame": [7, 8], "title": "Side"}"#, default: Window(),
            reads: Window(title: "Side"), repairing: ["frame"]),
        RepairCase(
            "A path names members, even where coding keys are numbered", stored: #"{"size": "big", "name": "Sans"}"#,
            default: Numbered(), reads: Numbered(name: "Sans"), repairing: ["size"]),
    ]

    private static let types = [
        RepairCase(
            "A number where a string was", stored: #"{"size": 14, "name": 7, "wraps": false}"#, default: Settings(),
            reads: Settings(size: 14, wraps: false), repairing: ["name"]),
        RepairCase(
            "A string where a number was", stored: #"{"size": "14", "name": "Sans", "wraps": false}"#, default: Settings(),
            reads: Settings(name: "Sans", wraps: false), repairing: ["size"]),
        RepairCase(
            "A number where a bool was, and a bool where a number was", stored: #"{"byte": true, "count": 3, "isOn": 1, "ratio": 1}"#,
            default: Small(), reads: Small(count: 3, ratio: 1), repairing: ["byte", "isOn"]),
        RepairCase(
            "A whole number that is next to one", stored: #"{"size": 14.00000000000000000001, "name": "Sans", "wraps": false}"#,
            default: Settings(size: 9), reads: Settings(size: 9, name: "Sans", wraps: false), repairing: ["size"]),
        RepairCase(
            "One less than the least whole number", stored: "[1, -9223372036854775809, 3]", default: [Int](), reads: [1, 3],
            repairing: ["[1]"]),
        RepairCase(
            "Whole numbers that do not fit", stored: #"{"byte": 300, "count": -1, "isOn": true, "ratio": 0.25}"#, default: Small(),
            reads: Small(isOn: true, ratio: 0.25), repairing: ["byte", "count"]),
        RepairCase(
            "A decimal number that does not fit", stored: #"{"byte": 3, "count": 4, "isOn": true, "ratio": 1e999}"#, default: Small(),
            reads: Small(byte: 3, count: 4, isOn: true), repairing: ["ratio"]),
        RepairCase(
            "A fraction for a whole number", stored: #"{"size": 14.5, "name": "Sans", "wraps": true}"#, default: Settings(),
            reads: Settings(name: "Sans"), repairing: ["size"]),
        RepairCase(
            "A whole number with a point", stored: #"{"size": 14.0, "name": "Sans", "wraps": true}"#, default: Settings(),
            reads: Settings(size: 14, name: "Sans")),
        RepairCase("A list for an object", stored: "[1, 2]", default: Settings(size: 9), reads: Settings(size: 9), repairing: [""]),
        RepairCase("A text for a list", stored: #""a""#, default: ["b"], reads: ["b"], repairing: [""]),
        RepairCase("A text for a number", stored: #""5""#, default: 4, reads: 4, repairing: [""]),
        RepairCase("A number that does not fit, at the top", stored: "300", default: Int8(4), reads: 4, repairing: [""]),
        RepairCase(
            "A date, a link and data spelled badly",
            stored: #"{"date": "yesterday", "home": "", "icon": "***", "id": "4", "price": "cheap"}"#, default: Foreign(),
            reads: Foreign(), repairing: ["date", "home", "icon", "id", "price"]),
        RepairCase(
            "A date as a number",
            stored: #"{"date": 1, "home": "file:///home", "icon": "AQ==", "id": "01020304-0506-0708-090A-0B0C0D0E0F10", "price": 1}"#,
            default: Foreign(), reads: Foreign(date: Date(timeIntervalSinceReferenceDate: 1))),
    ]

    private static let lists = [
        RepairCase("One bad element", stored: #"[1, "x", 3]"#, default: [7, 8, 9], reads: [1, 3], repairing: ["[1]"]),
        RepairCase("A null element", stored: "[1, null, 3]", default: [Int](), reads: [1, 3], repairing: ["[1]"]),
        RepairCase(
            "Several bad elements, named by their place in the file", stored: #"["a", 1, "b", 3, 4]"#, default: [Int](),
            reads: [1, 3, 4], repairing: ["[0]", "[2]"]),
        RepairCase("Only bad elements", stored: #"["a", "b"]"#, default: [7, 8], reads: [], repairing: ["[0]", "[1]"]),
        RepairCase("A default with fewer elements", stored: #"[1, "x", 3]"#, default: [7], reads: [1, 3], repairing: ["[1]"]),
        RepairCase("A default with more elements", stored: #"["x", 3]"#, default: [7, 8, 9], reads: [3], repairing: ["[0]"]),
        RepairCase("Lists in a list", stored: #"[[1, "x"], 2, [3, 4, null]]"#, default: [[9]], reads: [[1], [3, 4]], repairing: ["[0][1]", "[1]", "[2][2]"]),
        RepairCase("A set", stored: #"["dark", "mauve"]"#, default: Set<Theme>(), reads: [.dark], repairing: ["[1]"]),
        RepairCase(
            "One bad field in a list of structs costs its element, which nothing could complete",
            stored: #"[{"name": "Ann"}, {"name": 7, "nick": "B"}, {"name": "Cat"}]"#, default: [Person](),
            reads: [Person(name: "Ann"), Person(name: "Cat")], repairing: ["[1]"]),
        RepairCase(
            "One bad optional field in a list of structs costs only itself", stored: #"[{"name": "Ann", "nick": 7}, {"name": "Cat"}]"#,
            default: [Person](), reads: [Person(name: "Ann"), Person(name: "Cat")], repairing: ["[0].nick"]),
        RepairCase(
            "Paths behind an element that was left out still name the file's places",
            stored: #"[{"nick": "B"}, {"name": "Ann", "nick": 7}, 5]"#,
            default: [Person](), reads: [Person(name: "Ann")], repairing: ["[0]", "[1].nick", "[2]"]),
        RepairCase(
            "A tree loses the branch that is bad",
            stored: #"{"value": 1, "children": [{"value": "x", "children": []}, {"value": 2, "children": [{"value": 3}, {"value": 4, "children": []}]}]}"#,
            default: Node(value: 0), reads: Node(value: 1, children: [Node(value: 2, children: [Node(value: 4)])]),
            repairing: ["children[0]", "children[1].children[0]"]),
    ]

    private static let dictionaries = [
        RepairCase("A bad value is left out", stored: #"{"a": 1, "b": "x"}"#, default: [String: Int](), reads: ["a": 1], repairing: ["b"]),
        RepairCase("A bad value that the default has", stored: #"{"a": 1, "b": "x"}"#, default: ["b": 5, "c": 6], reads: ["a": 1, "b": 5], repairing: ["b"]),
        RepairCase("A bad element inside", stored: #"{"a": [1, "x"], "b": [2]}"#, default: [String: [Int]](), reads: ["a": [1], "b": [2]], repairing: ["a[1]"]),
        RepairCase("An unknown case as a key", stored: #"{"dark": 1, "mauve": 2}"#, default: [Theme: Int](), reads: [.dark: 1], repairing: ["mauve"]),
        RepairCase("A key that is no number", stored: #"{"1": "a", "x": "b"}"#, default: [Int: String](), reads: [1: "a"], repairing: ["x"]),
        RepairCase("A bad value under a number", stored: #"{"1": "a", "2": 5}"#, default: [Int: String](), reads: [1: "a"], repairing: ["2"]),
        RepairCase(
            "Keys and values in turn: a bad value costs the dictionary", stored: #"[{"row": 1}, 10, {"row": 2}, "x", {"row": 3}, 30]"#,
            default: [Cell(row: 9): 9], reads: [Cell(row: 9): 9], repairing: [""]),
        RepairCase(
            "Keys and values in turn: a bad key costs the dictionary", stored: #"[[[{"row": 1}, 10, {"row": "x"}, 20], [{"row": 3}, 30]]]"#,
            default: [[[Cell: Int]]](), reads: [[[Cell(row: 3): 30]]], repairing: ["[0][0]"]),
    ]

    private static let optionals = [
        RepairCase("A field became optional", stored: #"{"size": 14}"#, default: Loose(), reads: Loose(size: 14)),
        RepairCase("A stored nil stays nil", stored: #"{"size": null, "note": null}"#, default: Loose(note: "n"), reads: Loose(size: nil)),
        RepairCase(
            "A stored nil stays nil beside a bad field", stored: #"{"size": null, "note": 5}"#, default: Loose(note: "n"),
            reads: Loose(size: nil, note: "n"), repairing: ["note"]),
        RepairCase("A bad optional whose default is nil", stored: #"{"size": 14, "note": 5}"#, default: Loose(), reads: Loose(size: 14), repairing: ["note"]),
        RepairCase(
            "A field that was optional is null", stored: #"{"size": null, "name": "Sans", "wraps": true}"#, default: Settings(),
            reads: Settings(name: "Sans"), repairing: ["size"]),
        RepairCase("Null at the top", stored: "null", default: Settings(size: 9), reads: Settings(size: 9), repairing: [""]),
        RepairCase("Nil at the top", stored: "null", default: Int?.some(5), reads: nil),
        RepairCase("A bad optional at the top", stored: #""x""#, default: Int?.some(5), reads: 5, repairing: [""]),
        RepairCase(
            "An optional struct with a bad field, whose default has it",
            stored: #"{"frame": {"x": 7, "y": 8}, "previous": {"x": "left", "y": 9}, "title": "Side"}"#,
            default: Window(previous: Frame(x: 3, y: 4)),
            reads: Window(frame: Frame(x: 7, y: 8), previous: Frame(x: 3, y: 9), title: "Side"), repairing: ["previous.x"]),
        RepairCase(
            "An optional struct with a bad field, whose default is nil",
            stored: #"{"frame": {"x": 7, "y": 8}, "previous": {"x": "left", "y": 9}, "title": "Side"}"#, default: Window(),
            reads: Window(frame: Frame(x: 7, y: 8), title: "Side"), repairing: ["previous"]),
    ]

    private static let enums = [
        RepairCase("An unknown case at the top", stored: #""mauve""#, default: Theme.dark, reads: .dark, repairing: [""]),
        RepairCase("An unknown case in a field", stored: #"{"theme": "mauve", "size": 14}"#, default: Look(), reads: Look(size: 14), repairing: ["theme"]),
        RepairCase("An unknown case in a list", stored: #"["dark", "mauve", "blue"]"#, default: [Theme.light], reads: [.dark, .blue], repairing: ["[1]"]),
        RepairCase(
            "An unknown case with values", stored: #"{"shape": {"star": {"points": 5}}, "title": "Sky"}"#, default: Drawing(),
            reads: Drawing(title: "Sky"), repairing: ["shape"]),
        RepairCase(
            "A case gained a value", stored: #"{"shape": {"box": {"width": 7}}, "title": "Sky"}"#, default: Drawing(),
            reads: Drawing(shape: .box(width: 7, height: 2), title: "Sky")),
        RepairCase(
            "A bad value of another case than the default's", stored: #"{"shape": {"circle": {"radius": "wide"}}, "title": "Sky"}"#,
            default: Drawing(), reads: Drawing(title: "Sky"), repairing: ["shape"]),
        RepairCase("A bad value at the top", stored: #"{"circle": {"radius": "wide"}}"#, default: Shape.dot, reads: .dot, repairing: [""]),
        RepairCase("A case that had values has none", stored: #"{"shape": {"dot": {"size": 4}}, "title": "Sky"}"#, default: Drawing(), reads: Drawing(shape: .dot, title: "Sky")),
        RepairCase(
            "A chain of cases that ends badly", stored: #"{"link": {"_0": 1, "_1": {"link": {"_0": 2, "_1": {"stop": {}}}}}}"#,
            default: Chain.link(8, .link(9, .end)), reads: .link(1, .link(2, .end)), repairing: ["link._1.link._1"]),
    ]

    private static let customs = [
        RepairCase("An error of one's own in a field", stored: #"{"grid": "big", "title": "Go"}"#, default: Board(), reads: Board(title: "Go"), repairing: ["grid"]),
        RepairCase(
            "An error of one's own in a list", stored: #"["1x2", "big", "3x4"]"#, default: [Grid](),
            reads: [Grid(columns: 1, rows: 2), Grid(columns: 3, rows: 4)], repairing: ["[1]"]),
        RepairCase("An error of one's own at the top", stored: #""big""#, default: Grid(columns: 1, rows: 1), reads: Grid(columns: 1, rows: 1), repairing: [""]),
        RepairCase(
            "A decoding error that names no path", stored: #"{"careless": 11, "title": "Other"}"#, default: Careful(),
            reads: Careful(title: "Other"), repairing: ["careless"]),
        RepairCase(
            "An error that the type swallows is its own business", stored: #"{"grid": "big"}"#, default: Forgiving(grid: Grid(columns: 1, rows: 1)),
            reads: Forgiving(grid: Grid(columns: 0, rows: 0))),
        RepairCase(
            "Nor is it another's", stored: #"{"dark": {"title": "x", "grid": "big"}, "mauve": {}}"#, default: [Ground.dark: Forgiving()],
            reads: [.dark: Forgiving(grid: Grid(columns: 0, rows: 0), title: "x")], repairing: ["mauve"]),
        RepairCase(
            "A superclass", stored: #"{"wings": 3, "super": {"legs": "two"}}"#, default: Bird(legs: 2, wings: 2), reads: Bird(legs: 2, wings: 3),
            repairing: ["super.legs"]),
        RepairCase("A superclass that is new", stored: #"{"wings": 3}"#, default: Bird(legs: 2, wings: 2), reads: Bird(legs: 2, wings: 3)),
        RepairCase(
            "A raw value that is refused", stored: ##"{"ink": "black", "paper": "#fff"}"##, default: Palette(),
            reads: Palette(paper: HexColor(rawValue: "#fff") ?? .black), repairing: ["ink"]),
        RepairCase("A raw value of another kind at the top", stored: "5", default: HexColor.black, reads: .black, repairing: [""]),
        RepairCase(
            "Containers inside containers", stored: #"{"server": {"host": 5, "port": 8080}, "tags": ["a", 1, "b"]}"#, default: Nested(),
            reads: Nested(port: 8080), repairing: ["server.host", "tags"]),
        RepairCase(
            "A member that is decoded if it is there", stored: #"{"server": {"host": "h", "port": "x"}, "tags": []}"#, default: Nested(port: 81),
            reads: Nested(host: "h", port: 81), repairing: ["server.port"]),
        RepairCase(
            "A member that is not there and need not be", stored: #"{"server": {"host": "h"}, "tags": []}"#, default: Nested(port: 81),
            reads: Nested(host: "h", port: 443)),
    ]

    private static let positions = [
        RepairCase("A bad value by position costs all, as none may take its place", stored: #"["x", 5, 6]"#, default: Position(), reads: Position(), repairing: [""]),
        RepairCase("A value by position that is missing", stored: "[4]", default: Position(), reads: Position(), repairing: [""]),
        RepairCase("An optional value by position that is bad", stored: #"[4, 5, "x"]"#, default: Position(), reads: Position(), repairing: [""]),
        RepairCase(
            "A list of values by position", stored: #"{"start": [4, 5], "stops": [[1, 2], ["x", 4], [5, 6]], "hours": [8, 18], "scale": [3, 4]}"#,
            default: Route(),
            reads: Route(start: Position(x: 4, y: 5), stops: [Position(x: 1, y: 2), Position(x: 5, y: 6)], hours: 8..<18, scale: [3, 4]),
            repairing: ["stops[1]"]),
        RepairCase(
            "A range", stored: #"{"start": [4, 5], "stops": [], "hours": ["early", 18], "scale": [3, 4]}"#, default: Route(),
            reads: Route(start: Position(x: 4, y: 5), scale: [3, 4]), repairing: ["hours"]),
        RepairCase(
            "A range that ends before it begins", stored: #"{"start": [4, 5], "stops": [], "hours": [18, 8], "scale": [3, 4]}"#, default: Route(),
            reads: Route(start: Position(x: 4, y: 5), scale: [3, 4]), repairing: ["hours"]),
        RepairCase(
            "A vector, which counts its elements", stored: #"{"start": [4, 5], "stops": [], "hours": [8, 18], "scale": ["x", 4]}"#,
            default: Route(), reads: Route(start: Position(x: 4, y: 5), hours: 8..<18), repairing: ["scale"]),
        RepairCase(
            "A vector of another length", stored: #"{"start": [4, 5], "stops": [], "hours": [8, 18], "scale": [3, 4, 5]}"#,
            default: Route(), reads: Route(start: Position(x: 4, y: 5), hours: 8..<18), repairing: ["scale"]),
    ]

    private static let limits = [
        RepairCase(
            "Of 120 members a person wrote one", stored: #"{"m7": -7}"#, default: Many(), reads: Many(["m7": -7])),
        RepairCase(
            "100 bad parts are repaired", stored: numbers(bad: 100, good: 20), default: [String: Int](), reads: good(20),
            repairing: (0..<100).map { "bad\($0)" }),
        RepairCase("101 bad parts are too many", stored: numbers(bad: 101, good: 20), default: ["d": 1], reads: ["d": 1], repairing: [""]),
        RepairCase(
            "100 bad elements are repaired, however much of each goes", stored: "[" + String(repeating: #"{"name": 1}, "#, count: 100) + #"{"name": "Ann"}]"#,
            default: [Person](), reads: [Person(name: "Ann")], repairing: (0..<100).map { "[\($0)]" }),
    ]

    private static let versions = [
        RepairCase("One step", stored: #"{"fontSize": 14, "name": "Sans"}"#, version: 1, default: Font(), reads: Font(size: 14, name: "Sans")),
        RepairCase("Several steps, from no version", stored: #"{"points": "14 pt", "name": "Sans"}"#, default: Font(), reads: Font(size: 14, name: "Sans")),
        RepairCase("No step", stored: #"{"size": 14, "name": "Sans"}"#, version: 2, default: Font(), reads: Font(size: 14, name: "Sans")),
        RepairCase(
            "Repairs come after the migration", stored: #"{"points": "14 pt", "name": 5}"#, default: Font(), reads: Font(size: 14), repairing: ["name"]),
        RepairCase("A migration that cannot find what it looks for", stored: #"{"name": "Sans"}"#, version: 0, default: Font(), reads: Font(), repairing: [""]),
        RepairCase("A step that fails later", stored: #"{"points": "14 pt", "name": "Broken"}"#, default: Font(), reads: Font(), repairing: [""]),
        RepairCase("A newer version is not read", stored: #"{"size": 14, "name": "Sans"}"#, version: 3, default: Font(), reads: Font(), repairing: [""]),
        RepairCase("A version of a type that has none is newer", stored: "5", version: 1, default: 4, reads: 4, repairing: [""]),
        RepairCase("A negative version is none", stored: "5", version: -1, default: 4, reads: 5),
        RepairCase("An optional is migrated", stored: #"{"fontSize": 14, "name": "Sans"}"#, version: 1, default: Font?.none, reads: Font(size: 14, name: "Sans")),
        RepairCase("A nil is not migrated", stored: "null", version: 0, default: Font(), reads: Font?.none),
        RepairCase(
            "The elements of a list are migrated", stored: #"[{"fontSize": 14, "name": "Sans"}, {"fontSize": "x"}]"#, version: 1,
            default: [Font](), reads: [Font(size: 14, name: "Sans")], repairing: ["[1]"]),
    ]

    private static func numbers(bad: Int, good: Int) -> String {
        let members = (0..<bad).map { #""bad\#($0)": "x""# } + (0..<good).map { #""good\#($0)": \#($0)"# }
        return "{" + members.joined(separator: ", ") + "}"
    }

    private static func good(_ count: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("good\($0)", $0) })
    }
}
