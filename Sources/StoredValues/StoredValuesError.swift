public import FoundationEssentials

/// An error of this library, whichever it is: a text for the program's user, and a status to end with.
///
/// ```swift
/// do {
///     try await logIn()
/// } catch let error as any StoredValuesError {
///     FileHandle.standardError.write(Data("\(error)\n".utf8))
///     exit(error.exitStatus)
/// }
/// ```
public protocol StoredValuesError: LocalizedError, CustomStringConvertible, CustomDebugStringConvertible {
    /// The status with which a command line program ends by this error, as `stored-values` does: a number of sysexits(3), or 1 where nothing
    /// is stored.
    var exitStatus: Int32 { get }
}

extension StoredValuesError {
    /// The description, unless there is something that only the programmer can do.
    public var debugDescription: String { description }
    /// The description, for Foundation.
    public var errorDescription: String? { description }
    /// The same, in code without Foundation too.
    public var localizedDescription: String { description }
}
