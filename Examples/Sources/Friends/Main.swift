import StoredValues

@main
enum Main {
    static func main() async {
        StorageSystem.bootstrap(applicationID: "com.example.Friends")  // names the folder and the secret
        await Friends.main()
    }
}
