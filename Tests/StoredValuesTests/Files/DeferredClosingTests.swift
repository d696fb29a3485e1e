import Dispatch
import Foundation
import StoredValuesSupport
import Testing

@testable import StoredValues
@testable import StoredValuesFiles

@Suite("Closing on another thread", .serialized, .hangLimit)
struct DeferredClosingTests {}

extension DeferredClosingTests {
    @Test("Where files are freed slowly, a few descriptors wait and the others are closed at once; in the end all are")
    func slowFileSystem() async throws {
        try await withTemporaryFolder { folder in
            let closed = Closed()
            try release(100, in: folder, closed)
            #expect(closed.here.withLock { $0 } >= 100 - DeferredClosing.limit)
            closed.mayEnd.signal()
            try await eventually("all are closed") {
                closed.here.withLock { $0 } + closed.elsewhere.withLock { $0 } == 100
            }
            // Other tests have descriptors that wait, too.
            let before = closed.elsewhere.withLock { $0 }
            #expect(before <= DeferredClosing.limit)
            try await eventually("there is place again") {
                try release(1, in: folder, closed)
                return closed.elsewhere.withLock { $0 } > before
            }
        }
    }

    @Test("A durable replacement does not wait until the old file is freed")
    func durableReplacement() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/file", isOpen = Guarded(false)
            let operations = FaultyFileOperations { call in
                guard call == "rename" else { return }
                let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                let places = descriptors?.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
                isOpen.withLock { $0 = places?.contains(path) ?? false }
            }
            let file = DurableFile(path: path, operations: operations)
            for _ in 0..<2 { _ = try file.withLock { try $0.replace(with: [1], durably: true) } }
            #expect(isOpen.withLock { $0 })
        }
    }

    @Test("A disk that is full of replaced files is waited for, and then there is room")
    func fullDisk() async throws {
        try await withTemporaryFolder { folder in
            let closed = Closed()
            try await eventually("a descriptor waits") {
                try release(1, in: folder, closed)
                return closed.isWaiting.withLock { $0 }
            }
            // Full until that one is closed; and it is closed when the first attempt has failed, which closes its own file.
            let here = currentThreadNumber()
            let disk = Guarded<FaultyFileOperations?>(nil)
            let operations = FaultyFileOperations(failing: ["write": .noSpace]) { call in
                guard call == "close", currentThreadNumber() == here else { return }
                closed.mayEnd.signal()
            }
            closed.whenClosed.withLock { $0 = { disk.withLock { $0 }?.fail("write", with: nil) } }
            disk.withLock { $0 = operations }
            defer { disk.withLock { $0 = nil } }
            _ = try replace(DurableFile(path: folder + "/file", operations: operations))
        }
    }

    /// How many were closed on the thread that let go of them, and elsewhere, where it takes until `mayEnd`.
    private final class Closed: Sendable {
        let here = Guarded(0)
        let elsewhere = Guarded(0)
        let isWaiting = Guarded(false)
        let mayEnd = DispatchSemaphore(value: 0)
        let whenClosed = Guarded<(@Sendable () -> Void)?>(nil)
    }

    private func replace(_ file: DurableFile) throws -> FileIdentity {
        try file.withLock(timeout: hangLimit) { try $0.replace(with: [1], durably: false) }
    }

    /// Pins a file so many times, and lets go of it as of one that was replaced.
    private func release(_ count: Int, in folder: String, _ closed: Closed) throws {
        let thread = currentThreadNumber()
        let plain = DurableFile(path: folder + "/file")
        let identity = try replace(plain)
        let slow = FaultyFileOperations { call in
            guard call == "close" else { return }
            if currentThreadNumber() == thread { return closed.here.withLock { $0 += 1 } }
            closed.isWaiting.withLock { $0 = true }
            closed.mayEnd.wait()
            closed.mayEnd.signal()
            closed.whenClosed.withLock { $0 }?()
            closed.elsewhere.withLock { $0 += 1 }
        }
        for _ in 0..<count { try #require(FilePin(identity, at: plain.path, slow)).noteReplaced() }
    }
}
