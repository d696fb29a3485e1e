import Logging

/// Prints a value in every way that Swift has, to the standard output.
func disclose(_ value: Any) {
    print("\(value)", String(describing: value), String(reflecting: value))
    debugPrint(value)
    dump(value)
    var seen: Set<ObjectIdentifier> = []
    walk(Mirror(reflecting: value), depth: 0, &seen)
}

/// Prints what a mirror shows, and the mirrors of that.
private func walk(_ mirror: Mirror, depth: Int, _ seen: inout Set<ObjectIdentifier>) {
    guard depth < 12 else { return }
    for child in mirror.children {
        print(child.label ?? "", child.value, String(reflecting: child.value))
        if type(of: child.value) is AnyClass, !seen.insert(ObjectIdentifier(child.value as AnyObject)).inserted { continue }
        walk(Mirror(reflecting: child.value), depth: depth + 1, &seen)
    }
    if let parent = mirror.superclassMirror { walk(parent, depth: depth + 1, &seen) }
}

/// Prints all that is logged, of every level.
struct DisclosingLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        print(event.level, event.message, metadata, event.metadata ?? [:])
    }
}
