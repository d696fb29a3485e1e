import Foundation

/// Measures everything and prints the table. `Benchmarks/run` builds what this needs and starts it.
@main
struct Benchmarks {
    static func main() async {
        do {
            var arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "role" {
                try Role.play(arguments[1], Array(arguments.dropFirst(2)))
            } else {
                try await Plan(&arguments).carryOut()
            }
        } catch {
            FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
