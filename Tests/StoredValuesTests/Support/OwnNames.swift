/// The names of the files that the library makes for a file "p.json".
enum OwnNames {
    static let lasting: Set = ["p.json", "p.json.lock", "p.json.durable", "p.json.durable.lock"]
    static let temporary = ".p.json.stored-values.tmp"
    static let all = lasting.union([temporary, ".p.json.durable.stored-values.tmp"])
}
