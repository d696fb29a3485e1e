import StoredValues

/// Reads one stored value.
@main
enum StartStoredValue {
    static func main() {
        let fontSize = StoredValue(key: "fontSize", default: 0, storage: PreferencesFile(path: CommandLine.arguments[1]))
        if fontSize.wrappedValue != 14 { print("The file has no fontSize of 14.") }
    }
}
