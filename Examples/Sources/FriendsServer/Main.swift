import FriendsService

/// Serves some friends at http://127.0.0.1:8080. The password is "friend".
@main
enum Main {
    static func main() async throws {
        let names = ["Ada", "Barbara", "Edsger", "Grace", "John", "Katherine", "Ken"]
        let friends = zip(1..., names).map { Friend(id: $0, name: $1) }
        let server = try FriendsServer(friends: friends, password: "friend", port: 8080)
        async let running: Void = server.run()
        print("Serving \(names.count) friends at \(try await server.url). The password is \"friend\". Ctrl-C ends it.")
        try await running
    }
}
