package import Dispatch

/// Where deadlines ring. A serial queue of its own gets a thread even when all those of the shared pools are blocked.
package let keyringDeadlines = DispatchQueue(label: "StoredValues.deadlines")

extension Duration {
    /// The same time as Dispatch counts it; a time beyond its range (some centuries) is cut to 30 years.
    package var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(max(0, Int(min(seconds, 1_000_000_000)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
    }
}
