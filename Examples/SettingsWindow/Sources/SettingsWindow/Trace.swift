import CAdwaita
import Glibc
import StoredValues

/// Prints what the window shows and where, for tests that use it as a person does: a line of JSON for each frame that differs from the
/// one before. Never the token.
@MainActor
enum Trace {
    private static var last: JSONValue?

    static func follow(_ window: SettingsWindow) {
        connect(window.window, "realize") {
            guard let clock = gtk_widget_get_frame_clock(window.window) else { return }
            connect(UnsafeMutableRawPointer(clock), "after-paint") { printChange(window) }
        }
    }

    private static func printChange(_ window: SettingsWindow) {
        var frame: JSONValue = ["undo": place(window.undo), "token": token(window.tokenRow), "rows": [:]]
        for row in window.rows {
            frame["rows"]?[row.setting.name] = [
                "text": .string(row.control.text), "subtitle": .string(subtitle(row.row)), "error": row.error.map(JSONValue.string) ?? .null,
                "control": place(row.control.widget), "reset": place(row.reset),
            ]
        }
        guard frame != last else { return }
        last = frame
        print(frame)
        fflush(nil)  // also into a pipe
    }

    private static func token(_ row: TokenRow) -> JSONValue { ["subtitle": .string(subtitle(row.row)), "unlock": place(row.unlock)] }

    private static func subtitle(_ row: Widget) -> String { String(cString: adw_action_row_get_subtitle(row.cast())) }

    /// Null if a click would do nothing.
    private static func place(_ widget: Widget) -> JSONValue {
        guard widget.isSensitive, let (x, y) = widget.place else { return .null }
        return [JSONValue(x), JSONValue(y)]
    }
}
