extension SecretContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which case it is, and why a secret is unavailable; never the item, which a struct would show unasked.
    var description: String {
        switch self {
        case .unknown: "unknown"
        case .value: "redacted"
        case .absent: "absent"
        case .unavailable(let error): "unavailable: \(error)"
        }
    }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
