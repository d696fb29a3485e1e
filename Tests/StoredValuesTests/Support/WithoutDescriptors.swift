import Foundation
import Testing

/// Runs `body` while this process can open nothing. For exit tests: nobody else in the process can either.
func withoutDescriptors<Result>(_ body: () async throws -> Result) async throws -> Result {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var usual = rlimit()
    try #require(getrlimit(resource, &usual) == 0)
    var none = usual
    none.rlim_cur = 0
    try #require(setrlimit(resource, &none) == 0)
    defer { #expect(setrlimit(resource, &usual) == 0) }
    return try await body()
}
