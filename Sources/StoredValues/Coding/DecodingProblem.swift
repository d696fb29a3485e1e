/// Where and why a decoding failed.
struct DecodingProblem {
    /// The part that is to blame.
    let path: [any CodingKey]
    /// How the lists on the way to it are read, by their depth.
    let readings: [Int: DecodingTrace.ListReading]
    let reason: String

    init(_ error: any Error, _ trace: DecodingTrace) {
        let place = trace.path ?? []
        readings = trace.readings
        reason = Self.reason(error)
        // An error of the item's own names no path, and some decoding errors an empty one; then the item is to blame.
        if let named = Self.path(error), named.map(\.stringValue).starts(with: place.map(\.stringValue)) {
            path = named
        } else {
            path = place
        }
    }

    /// Why, in the words of the error.
    static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return context(error)?.debugDescription ?? "\(error)"
    }

    private static func path(_ error: any Error) -> [any CodingKey]? {
        guard let error = error as? DecodingError, let context = context(error) else { return nil }
        if case .keyNotFound(let key, _) = error { return context.codingPath + [key] }
        return context.codingPath
    }

    private static func context(_ error: DecodingError) -> DecodingError.Context? {
        switch error {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
