import CAdwaita
import Dispatch
import Glibc

/// GLib's main loop, beside which the main actor lives.
enum MainLoop {
    /// Has GLib's main loop do the main actor's work from now on, on this thread, which must be the first.
    ///
    /// The main actor's work is in the main queue of Dispatch, which makes an eventfd readable when there is some. GLib waits for that
    /// file as for any other, so that nothing polls: `await` in the window's code resumes between two of GLib's events.
    static func servesMainActor() {
        let mainQueue = _dispatch_get_main_queue_handle_4CF()
        g_unix_fd_add(
            mainQueue, G_IO_IN,
            { mainQueue, _, _ in
                var count: UInt64 = 0
                read(mainQueue, &count, 8)  // until it is read, the file stays readable, and this would be called without end
                _dispatch_main_queue_callback_4CF(nil)
                return 1  // again
            }, nil)
    }
}
