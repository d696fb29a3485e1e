import Glibc

/// What a clock of the system says, in nanoseconds (clock_gettime(2)).
func systemTime(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
