public struct DurableFile: Sendable {
    public let path: String
    public init(path: String) { self.path = path }
}

public struct FileError: Error {
    public init() {}
}

extension String {
    public func has(_ part: String) -> Bool { contains(part) }
}
