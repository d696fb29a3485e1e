import Dispatch
import Testing

@testable import StoredValuesSecretService

@Suite("Waiting for signals", .hangLimit)
struct WaitForSignalsTests {}

extension WaitForSignalsTests {
    @Test("A wait that is cancelled by another thread, and its main context that goes, leave that thread nothing freed to use")
    func cancelled() async {
        // In a process of its own: by a source of the cancellable it ended by a corrupted heap, in 8 of 9 runs.
        await #expect(processExitsWith: .success) {
            let group = DispatchGroup()
            for number in 0..<4 {
                DispatchQueue(label: "waits \(number)").async(group: group) {
                    for _ in 0..<20_000 {
                        let cancellation = Cancellation()
                        DispatchQueue.global().async { cancellation.cancel() }
                        do throws(SecretServiceError) {
                            try withNewContext { cancellation.during { waitForSignals(every: .max) { false } } }
                        } catch { Issue.record(error) }
                    }
                }
            }
            await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        }
    }
}
