#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A number of `errno`.
package struct SystemErrorCode: Error, Hashable, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// Calls again while the call is interrupted, and turns -1 into the thrown `errno`.
@discardableResult
package func system<Number: FixedWidthInteger>(_ call: () -> Number) throws(SystemErrorCode) -> Number {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR { throw SystemErrorCode(rawValue: code) }
    }
}

/// Overwrites memory that held a secret. `explicit_bzero` is not removed by the optimiser (bzero(3)).
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    explicit_bzero(start, bytes.count)
}

/// Nanoseconds since the machine started, the same for all its processes.
package func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
