/// Where and why a decoding failed.
struct DecodingProblem {
    /// The part that is to blame.
    let path: [any CodingKey]
    /// How the lists on the way to it are read, by their depth.
    let readings: [Int: DecodingTrace.ListReading]
    let reason: String

    init(_ error: any Error, _ trace: DecodingTrace) {
        let place = trace.path ?? []
        // An error of the item's own names no path, and some decoding errors an empty one; then the item is to blame.
        let named = Self.path(error) ?? []
        path = named.map(\.stringValue).starts(with: place.map(\.stringValue)) ? named : place
        readings = trace.readings
        reason = Self.reason(error)
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

/// What a decoding that fails tells its repair besides the error: where it was, and how the lists on the way there are read.
///
/// Errors alone do not say it: an item may throw one that is no `DecodingError`, or one that names no path.
final class DecodingTrace {
    /// How a list is read, which decides what becomes of it without one element.
    enum ListReading {
        /// As long as there are elements, so that each may be missing.
        case untilTheEnd
        /// A fixed number of them, so that a missing one would shift those behind it.
        case byPosition
        /// As the keys and values of a dictionary in turn.
        case inPairs
    }

    /// The innermost item that failed, or nil while nothing has.
    private(set) var path: [any CodingKey]?
    /// How the lists around it are read, by their depth in the path.
    private(set) var readings: [Int: ListReading] = [:]

    /// Notes that decoding goes on: if something has failed before, somebody had an answer to it.
    func goOn() {
        path = nil
        readings = [:]
    }

    /// Notes that the item at `path` failed, unless that is only the failure of an item inside it.
    func fail(at path: [any CodingKey]) {
        if self.path == nil { self.path = path }
    }

    /// Notes that an element of the list at `depth` failed.
    func fail(inListAt depth: Int, read reading: ListReading) { readings[depth] = reading }
}

/// Whether the reader of a list asked for its end. Shared by the copies of a container.
final class ListQuestions {
    private var isCounted = false
    private var position: Int?

    func countAsked() { isCounted = true }
    func endAsked(at position: Int) { self.position = position }

    /// Whoever asks whether there is an element before reading it can do without it.
    func reading(of position: Int) -> DecodingTrace.ListReading {
        isCounted || self.position == position ? .untilTheEnd : .byPosition
    }
}

/// A dictionary, which is a list of keys and values in turn where its keys are no names.
protocol ListOfPairs {}

extension Dictionary: ListOfPairs {}
