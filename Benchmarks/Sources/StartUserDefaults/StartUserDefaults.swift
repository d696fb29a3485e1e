import Foundation

/// Reads one value of the user defaults, which it stores when its argument is "store".
@main
enum StartUserDefaults {
    static func main() {
        if CommandLine.arguments.dropFirst().first == "store" {
            UserDefaults.standard.set(14, forKey: "fontSize")
            _ = UserDefaults.standard.synchronize()
        }
        if UserDefaults.standard.integer(forKey: "fontSize") != 14 { print("The defaults have no fontSize of 14.") }
    }
}
