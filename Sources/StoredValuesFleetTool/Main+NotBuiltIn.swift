#if !Fleet
    import StoredValuesToolSupport

    /// The program as it is built without its trait.
    @main
    struct Main {
        static func main() {
            Output.error.message("This program was built without the trait Fleet. Build it with: swift build --traits default,Fleet")
            System.end(.unavailable)
        }
    }
#endif
