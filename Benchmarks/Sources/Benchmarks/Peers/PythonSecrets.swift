/// python-secretstorage, in a Python process that times itself.
struct PythonSecrets: Sendable {
    private let process: Conversation

    private static let program = """
        import secretstorage, sys, time
        bus = secretstorage.dbus_init()
        collection = secretstorage.get_default_collection(bus)
        attributes = {"service": "python", "account": "token"}
        collection.create_item("Benchmark", attributes, b"first", replace=True)
        count = 0
        for line in sys.stdin:
            start = time.perf_counter()
            if line == "lookup\\n":
                next(collection.search_items(attributes)).get_secret()
            else:
                count += 1
                collection.create_item("Benchmark", attributes, b"%d" % count, replace=True)
            print(time.perf_counter() - start, flush=True)
        """

    init(python: String) throws {
        process = try Conversation([python, "-c", Self.program])
    }

    /// `what` is "lookup" or "store".
    func contestant(_ what: String) -> Contestant {
        Contestant("python secretstorage") { [process] count in
            var sum = 0.0
            for _ in 0..<count {
                let answer = try process.ask(what)
                guard let seconds = Double(answer) else { throw Failure(description: "python said \"\(answer)\"") }
                sum += seconds
            }
            return sum
        }
    }
}
