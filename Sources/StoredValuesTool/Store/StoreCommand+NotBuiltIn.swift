#if !Store
    import ArgumentParser
    import StoredValuesToolSupport

    /// The command as it is built without its trait.
    struct StoreCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "store", abstract: "Not in this build: the items that a program keeps in stores.")

        @Argument(parsing: .captureForPassthrough) var words: [String] = []

        func run() async throws {
            throw Failure(.unavailable, "This program was built without the trait Store. Build it with: swift build --traits default,Store")
        }
    }

    extension Doctor {
        /// Nothing is known of stores without the trait.
        mutating func checkStores() {}
    }
#endif
