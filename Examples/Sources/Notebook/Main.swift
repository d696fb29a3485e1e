import StoredValues

@main
enum Main {
    static func main() async {
        StorageSystem.bootstrap(applicationID: "com.example.Notebook")  // names the folder of the notes
        await Notebook.main()
    }
}
