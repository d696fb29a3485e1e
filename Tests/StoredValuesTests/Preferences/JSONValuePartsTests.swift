import StoredValues
import Testing

@Suite("The parts of a JSON value, as migrations use them")
struct JSONValuePartsTests {
    private let object: JSONValue = ["text": "a", "number": 5, "flag": true, "list": [1, 2], "nothing": .null]
}

extension JSONValuePartsTests {
    @Test("Each kind is read as what it is, and as nothing else")
    func reading() throws {
        #expect(object["text"]?.stringValue == "a")
        #expect(object["number"]?.intValue == 5 && object["number"]?.doubleValue == 5)
        #expect(object["flag"]?.boolValue == true)
        #expect(object["list"]?.arrayValue == [1, 2])
        #expect(object.objectValue?.count == 5)
        #expect(object["nothing"] == .some(.null) && object["missing"] == nil)
        for name in ["text", "flag", "nothing", "list"] { #expect(object[name]?.intValue == nil && object[name]?.doubleValue == nil) }
        for name in ["number", "flag", "nothing", "list"] { #expect(object[name]?.stringValue == nil) }
        for name in ["number", "text", "nothing", "list"] { #expect(object[name]?.boolValue == nil) }
        #expect(object.arrayValue == nil && object["list"]?.objectValue == nil)
    }

    @Test("Elements are read, replaced and removed by their place; places that are not there are left alone")
    func elements() {
        var list: JSONValue = [1, 2, 3]
        #expect(list[0] == 1 && list[3] == nil && list[-1] == nil)
        list[1] = "two"
        list[0] = nil
        list[7] = 7
        #expect(list == ["two", 3])
        var text: JSONValue = "a"
        text[0] = 1
        #expect(text == "a")
    }

    @Test("Parts of parts change in place")
    func nested() {
        var json: JSONValue = ["windows": [["title": "a"], ["title": "b"]]]
        json["windows"]?[1]?["title"] = "c"
        json["windows"]?.updateElements { $0.rename("title", to: "name") }
        #expect(json == ["windows": [["name": "a"], ["name": "c"]]])
        json["none"]?["title"] = "c"
        #expect(json["none"] == nil)
    }

    @Test("Nil is no null: it removes the member, wherever it comes from", arguments: [true, false])
    func nilRemoves(isOld: Bool) {
        var json: JSONValue = ["size": 1, "name": .null]
        json["size"] = isOld ? nil : 12
        json["name"] = nil
        #expect(json == (isOld ? [:] : ["size": 12]))
    }

    @Test("A member gets another name, in place of whatever had that")
    func renaming() {
        var json: JSONValue = ["a": 1, "b": 2]
        json.rename("a", to: "b")
        json.rename("missing", to: "c")
        #expect(json == ["b": 1])
        json.rename("b", to: "b")
        #expect(json == ["b": 1])
        var list: JSONValue = [1]
        list.rename("a", to: "b")
        #expect(list == [1])
    }

    @Test("Names that only look alike are two names, to read, to remove and to rename")
    func lookAlikes() {
        let composed = "\u{E9}", decomposed = "e\u{301}"
        var json: JSONValue = [composed: 1]
        json[decomposed] = nil
        json.rename(decomposed, to: "b")
        #expect(json[composed] == 1 && json[decomposed] == nil && json["b"] == nil)
        json.rename(composed, to: decomposed)
        #expect(json[decomposed] == 1 && json[composed] == nil)
    }

    @Test("When changing an element throws, none is changed")
    func throwing() {
        struct Refusal: Error {}
        var json: JSONValue = [1, 2]
        #expect(throws: Refusal.self) {
            try json.updateElements { element throws(Refusal) in
                guard element == 1 else { throw Refusal() }
                element = 5
            }
        }
        #expect(json == [1, 2])
    }

    @Test("Values are made of what Swift has; what JSON has no number for is none")
    func making() {
        #expect(JSONValue(5) == 5 && JSONValue("a") == "a" && JSONValue(true) == true)
        #expect(JSONValue(UInt8(5)) == 5)
        #expect(JSONValue(0.5)?.doubleValue == 0.5)
        #expect(JSONValue(Double.nan) == nil && JSONNumber(-Double.infinity) == nil)
    }
}
