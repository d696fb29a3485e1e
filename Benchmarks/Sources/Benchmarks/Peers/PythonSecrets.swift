/// python-secretstorage, in a Python process that times itself.
struct PythonSecrets: Sendable {
    private let process: Conversation

    private static let program = """
        import secretstorage, sys, time
        from jeepney import DBusAddress, new_method_call
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection(auth_timeout=600)  # and not 1 s
        # The first question must not be for a property: that may end gnome-keyring (see Tests/Programs/forgetful_service.py).
        service = DBusAddress("/org/freedesktop/secrets", "org.freedesktop.secrets", "org.freedesktop.Secret.Service")
        bus.send_and_get_reply(new_method_call(service, "ReadAlias", "s", ("default",)))
        secretstorage.util.add_match_rules(bus)
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
            try await sum(count) {
                let answer = try process.ask(what)
                guard let seconds = Double(answer) else { throw Failure(description: "python said \"\(answer)\"") }
                return seconds
            }
        }
    }
}
