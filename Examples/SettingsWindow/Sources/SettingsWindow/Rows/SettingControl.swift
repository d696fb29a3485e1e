import CAdwaita
import StoredValues

/// What a person does to a control.
enum Input: Sendable {
    case value(JSONValue)
    /// Read as the key's type wants it.
    case text(String)

    /// Whether it is what a control shows for `value` anyway, as when only the focus has left.
    func isShown(for value: JSONValue) -> Bool {
        switch self {
        case .value(let new): new == value
        case .text(let text): text == value.plain
        }
    }
}

/// Shows one value, and lets a person change it.
@MainActor
protocol SettingControl {
    var widget: Widget { get }
    /// What stands in it.
    var text: String { get }
    func show(_ value: JSONValue)
}

/// The control for a key, by its type. It calls `change` when a person changes it, and also when it is shown another value.
@MainActor
func makeControl(for setting: Setting, change: @escaping @MainActor (Input) -> Void) -> any SettingControl {
    if !setting.cases.isEmpty { return Choice(setting.cases, change) }
    if setting.default.boolValue != nil, !setting.isOptional { return Switch(change) }
    if let range = setting.range, let low = range.lowerBound.doubleValue, let high = range.upperBound.doubleValue {
        return SpinButton(low, high, isInteger: setting.default.intValue != nil, change)
    }
    return Entry(isOptional: setting.isOptional, change)
}

private struct Switch: SettingControl {
    let widget = gtk_switch_new()!

    init(_ change: @escaping @MainActor (Input) -> Void) {
        connect(widget, "notify::active") { [widget] in change(.value(JSONValue(gtk_switch_get_active(widget.opaque) != 0))) }
    }

    var text: String { gtk_switch_get_active(widget.opaque) != 0 ? "true" : "false" }

    func show(_ value: JSONValue) { gtk_switch_set_active(widget.opaque, value.boolValue == true ? 1 : 0) }
}

private struct SpinButton: SettingControl {
    let widget: Widget

    init(_ low: Double, _ high: Double, isInteger: Bool, _ change: @escaping @MainActor (Input) -> Void) {
        let widget = gtk_spin_button_new_with_range(low, high, isInteger ? 1 : (high - low) / 100)!
        gtk_spin_button_set_digits(widget.opaque, isInteger ? 0 : 2)
        self.widget = widget
        connect(widget, "value-changed") {
            let number = gtk_spin_button_get_value(widget.opaque)
            let value = isInteger ? Int(exactly: number.rounded()).map { JSONValue($0) } : JSONValue(number)
            if let value { change(.value(value)) }
        }
    }

    var text: String { String(cString: gtk_editable_get_text(widget.opaque)) }

    func show(_ value: JSONValue) { gtk_spin_button_set_value(widget.opaque, value.doubleValue ?? 0) }
}

private struct Choice: SettingControl {
    let widget: Widget
    let cases: [JSONValue]

    init(_ cases: [JSONValue], _ change: @escaping @MainActor (Input) -> Void) {
        let words = gtk_string_list_new(nil)!
        for each in cases { gtk_string_list_append(words, each.plain) }
        let widget = gtk_drop_down_new(words, nil)!
        (self.widget, self.cases) = (widget, cases)
        connect(widget, "notify::selected") {
            let selected = Int(gtk_drop_down_get_selected(widget.opaque))
            if cases.indices.contains(selected) { change(.value(cases[selected])) }
        }
    }

    var text: String {
        let selected = Int(gtk_drop_down_get_selected(widget.opaque))
        return cases.indices.contains(selected) ? cases[selected].plain : ""
    }

    func show(_ value: JSONValue) {
        gtk_drop_down_set_selected(widget.opaque, cases.firstIndex(of: value).map(UInt32.init) ?? .max)  // the largest is none
    }
}

/// Texts as they are, everything else as JSON. An empty one is null where that can be stored, as of a `String?`.
private struct Entry: SettingControl {
    let widget = gtk_entry_new()!

    init(isOptional: Bool, _ change: @escaping @MainActor (Input) -> Void) {
        let typed = { @MainActor [widget] in
            let text = String(cString: gtk_editable_get_text(widget.opaque))
            change(text.isEmpty && isOptional ? .value(.null) : .text(text))
        }
        connect(widget, "activate", typed)
        let focus = gtk_event_controller_focus_new()!
        connect(UnsafeMutableRawPointer(focus), "leave", typed)
        gtk_widget_add_controller(widget, focus)
    }

    var text: String { String(cString: gtk_editable_get_text(widget.opaque)) }

    func show(_ value: JSONValue) { gtk_editable_set_text(widget.opaque, value.plain) }
}

extension JSONValue {
    /// A text without quotes, anything else as JSON.
    var plain: String { self == .null ? "" : stringValue ?? "\(self)" }
}
