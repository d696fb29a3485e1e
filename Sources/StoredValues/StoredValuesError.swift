public import FoundationEssentials

/// An error of this library, whichever it is: a text for the program's user, and a status to end with.
///
/// ```swift
/// import Glibc
///
/// func end(by error: any Error) -> Never {
///     print(error)
///     exit((error as? any StoredValuesError)?.exitStatus ?? 1)
/// }
/// ```
public protocol StoredValuesError: LocalizedError, CustomStringConvertible, CustomDebugStringConvertible {
    /// The status with which a command line program ends by this error, as `stored-values` does: a number of sysexits(3), or 1 where nothing
    /// is stored.
    var exitStatus: Int32 { get }
}

extension StoredValuesError {
    /// The description. Errors that only the programmer can correct have a longer one.
    public var debugDescription: String { description }
    /// The description, for Foundation.
    public var errorDescription: String? { description }
    /// The same, in code without Foundation too.
    public var localizedDescription: String { description }
}
