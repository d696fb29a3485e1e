import ArgumentParser
import FriendsService
import StoredValues

struct Friends: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List your friends, page by page.",
        discussion: "The server's address, its timeout in seconds and the page size are in the preferences file.",
        subcommands: [LogIn.self, List.self, LogOut.self])
}

struct LogIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in, with the password from standard input. The server's token is stored in the keyring.")

    @Argument(help: "Your name.")
    var name: String

    @Option(help: "The server's address, which is remembered.")
    var server: String?

    func run() async throws {
        let service = FriendsService()
        if let server { try await service.settings.setBaseURL(server) }
        // Never from an argument: others see those.
        guard let password = try Secret.ask("Password: ").text, !password.isEmpty else { throw ValidationError("No password was given.") }
        try await service.logIn(Credentials(name: name, password: password))
        print("Logged in.")
    }
}

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List your friends, page by page.")

    func run() async throws {
        var isFirst = true
        for try await page in FriendsService().pages {
            if !isFirst { waitForReader() }
            isFirst = false
            for friend in page.friends { print(friend.name) }
        }
    }
}

struct LogOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "logout", abstract: "Remove the token, here and on the server.")

    func run() async throws {
        try await FriendsService().logOut()
        print("Logged out.")
    }
}
