import FoundationEssentials

/// Encodes one value: the least that a program does which keeps a `Codable` value anywhere.
@main
enum StartFoundationEssentials {
    static func main() throws {
        let text = try JSONEncoder().encode(["fontSize": 14])
        if text.isEmpty { print("nothing") }
    }
}
