import StoredValuesToolSupport

@main
struct Main {
    static func main() async { await CommandLineProgram.run(StoredValuesCommand.self) }
}
