import Foundation

/// What the file at `path` says.
func contents(ofFile path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
}
