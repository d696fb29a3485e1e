import CAdwaita
import StoredValues

/// One setting: what it is for, where its value comes from, a control, a button to reset it, and below it why a value was refused.
@MainActor
final class SettingRow {
    let row: Widget
    /// Below the row, and visible only with an error.
    let errorRow = Widget.row("")
    let reset = Widget.button(icon: "edit-clear-symbolic", tooltip: "Reset")
    private(set) lazy var control = makeControl(for: setting) { [unowned self] input in
        if !isShowing { change(self, .set(input)) }
    }
    private(set) var setting: Setting
    /// Whether it is this code that changes the control, and not a person.
    private var isShowing = false
    private let change: @MainActor (SettingRow, Change) -> Void

    /// `change` makes a change that a person wants of a setting, and may refuse it.
    init(_ setting: Setting, change: @escaping @MainActor (SettingRow, Change) -> Void) {
        (self.setting, self.change) = (setting, change)
        row = .row(setting.label)
        gtk_widget_add_css_class(errorRow, "error")
        errorRow.isVisible = false
        connect(reset, "clicked") { [unowned self] in change(self, .reset) }
        row.addSuffix(control.widget)
        row.addSuffix(reset)
        showValue()
    }

    /// Shows the setting as it is now. What a person is typing stays, unless the value changed.
    func show(_ new: Setting, isWritable: Bool) {
        let old = setting
        setting = new
        if new.value != old.value { showValue() }
        let isReadOnly = new.source == .environment || !isWritable
        let broken = new.repairs.map { "\n\($0)" }.joined()
        adw_action_row_set_subtitle(row.cast(), "\(new.help)\n\(new.source.words)\(isReadOnly ? ", read-only" : "")\(broken)")
        control.widget.isSensitive = !isReadOnly
        reset.isVisible = !isReadOnly && new.isStored
    }

    /// Shows the stored value in place of what was typed or chosen.
    func showValue() {
        isShowing = true
        defer { isShowing = false }
        control.show(setting.value)
        error = nil
    }

    /// Why the last change was refused.
    var error: String? {
        didSet {
            adw_preferences_row_set_title(errorRow.cast(), error ?? "")
            errorRow.isVisible = error != nil
        }
    }

    /// What a person wants.
    enum Change: Sendable {
        case set(Input)
        case reset

        /// Makes the change on another thread: where another process keeps the file locked it may take two seconds, and the window goes on.
        @concurrent
        func perform(on setting: Setting) async throws(PreferencesError) {
            switch self {
            case .set(.value(let value)): try setting.set(value)
            case .set(.text(let text)): try setting.set(text: text)
            case .reset: setting.reset()
            }
        }
    }
}

extension Setting {
    /// For the person.
    var label: String { title.isEmpty ? name : title }
}

extension ValueSource {
    /// For the person.
    var words: String {
        switch self {
        case .environment: "From the environment"
        case .memory: "Not saved yet"
        case .file: "Your own"
        case .fleet: "From the fleet"
        case .system: "From the system"
        case .code: "The default"
        }
    }
}
