/// Where and why a decoding failed.
struct DecodingProblem {
    /// The part that failed.
    let path: [any CodingKey]
    /// How the lists on the way to it are read, by depth.
    let readings: [Int: DecodingTrace.ListReading]
    let reason: String

    init(_ error: any Error, _ trace: DecodingTrace) {
        let place = trace.path ?? []
        // An error that is not a `DecodingError` has no path, and some decoding errors have an empty one; then the innermost
        // item failed.
        let named = Self.path(error) ?? []
        path = named.map(\.stringValue).starts(with: place.map(\.stringValue)) ? named : place
        readings = trace.readings
        reason = Self.reason(error)
    }

    /// The reason, in the words of the error.
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

/// What a repair needs to know about a failed decoding besides the error: the place, and how the lists on the way there are
/// read.
///
/// The error alone is not enough: an item may throw one that is not a `DecodingError`, or one without a path.
final class DecodingTrace {
    /// How a list is read. It decides what happens if one element is removed.
    enum ListReading {
        /// Until its end, so that any element may be missing.
        case untilTheEnd
        /// A fixed number of elements, so that a missing one would shift those after it.
        case byPosition
        /// As alternating keys and values of a dictionary.
        case inPairs
    }

    /// The innermost item that failed; nil while none has.
    private(set) var path: [any CodingKey]?
    /// How the lists around it are read, by their depth in the path.
    private(set) var readings: [Int: ListReading] = [:]

    /// Notes that decoding continues: an earlier failure was handled by the item.
    func goOn() {
        path = nil
        readings = [:]
    }

    /// Notes that the item at `path` failed, unless an item inside it did.
    func fail(at path: [any CodingKey]) {
        if self.path == nil { self.path = path }
    }

    /// Notes that an element of the list at `depth` failed.
    func fail(inListAt depth: Int, read reading: ListReading) { readings[depth] = reading }
}

/// Which questions the reader of a list has asked about its end. Shared by the copies of a container.
final class ListQuestions {
    private var isCounted = false
    private var position: Int?

    func countAsked() { isCounted = true }
    func endAsked(at position: Int) { self.position = position }

    /// A reader that checks whether there is an element before reading it does not need that element.
    func reading(of position: Int) -> DecodingTrace.ListReading {
        isCounted || self.position == position ? .untilTheEnd : .byPosition
    }
}

/// A dictionary; encoded as a list of alternating keys and values if its keys are not strings.
protocol ListOfPairs {}

extension Dictionary: ListOfPairs {}
