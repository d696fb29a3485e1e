import Dispatch
import Locking
import Testing

@testable import StoredValues

@Suite("Closing on another thread")
struct LateClosingTests {
    @Test("Where files are freed slowly, a few descriptors wait and the others are closed at once; in the end all are")
    func slowFileSystem() async throws {
        try await withTemporaryFolder { folder in
            let closed = Closed()
            try release(100, in: folder, closed)
            #expect(closed.here.withLock { $0 } >= 100 - 16)
            closed.isFast.signal()
            try await eventually("all are closed") {
                closed.here.withLock { $0 } + closed.elsewhere.withLock { $0 } == 100
            }
            #expect(closed.elsewhere.withLock { $0 } <= 16)
        }
    }

    /// How many were closed on the thread that let go of them, and elsewhere, where it takes until `isFast`.
    private final class Closed: Sendable {
        let here = Guarded(0)
        let elsewhere = Guarded(0)
        let isFast = DispatchSemaphore(value: 0)
    }

    /// Pins a file so many times, and lets go of it.
    private func release(_ count: Int, in folder: String, _ closed: Closed) throws {
        let thread = currentThreadNumber()
        let plain = DurableFile(path: folder + "/file")
        let identity = try plain.withLock { try $0.replace(with: [1], durably: false) }
        let slow = FaultyFileOperations { call in
            guard call == "close" else { return }
            if currentThreadNumber() == thread { return closed.here.withLock { $0 += 1 } }
            closed.isFast.wait()
            closed.isFast.signal()
            closed.elsewhere.withLock { $0 += 1 }
        }
        for _ in 0..<count { #expect(FilePin(identity, at: plain.path, slow) != nil) }
    }
}
