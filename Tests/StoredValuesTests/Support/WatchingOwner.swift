import StoredValuesSupport

@testable import StoredValues
@testable import StoredValuesFiles

/// An owner of a ``FileWatch`` as the events are meant for: it reads when there may be something whole to read.
///
/// By default on a thread of its own: on the shared one, other tests may overflow the queue of events, which every watch reports.
final class WatchingOwner: Sendable {
    private let watch: Guarded<FileWatch?>
    private let log = Log()

    private final class Log: Sendable {
        let entries = Guarded<(events: [FileWatch.Event], text: String?)>(([], nil))
    }

    init(
        _ path: String, on thread: WatchThread = WatchThread(Inotify()), _ operations: FileOperations = .posix,
        onEvent: @escaping @Sendable (FileWatch.Event) -> Void = { _ in }
    ) {
        let log = log
        let file = DurableFile(path: path, operations: operations)
        let read = { @Sendable () -> String? in (try? file.read()).flatMap { $0 }.map { String(decoding: $0.bytes, as: UTF8.self) } }
        let watch = FileWatch(file, on: thread) { event in
            let text = event == .beingWritten ? nil : read()
            log.entries.withLock {
                $0.events.append(event)
                if event != .beingWritten { $0.text = text }
            }
            onEvent(event)
        }
        let text = read()
        log.entries.withLock { if $0.events.isEmpty { $0.text = text } }
        self.watch = Guarded(watch)
    }

    /// What the owner believes the file to hold.
    var text: String? { log.entries.withLock { $0.text } }
    var events: [FileWatch.Event] { log.entries.withLock { $0.events } }
    var problem: FileError? { watch.withLock { $0 }?.problem }

    /// Ends the watch by letting go of it.
    func dropWatch() {
        let dropped = watch.withLock { watch in
            defer { watch = nil }
            return watch
        }
        withExtendedLifetime(dropped) {}
    }
}
