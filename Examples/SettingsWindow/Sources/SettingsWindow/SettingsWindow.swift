import CAdwaita
import StoredValues

/// The window: a row for each key, the token's row, and a button that takes back the last change.
@MainActor
final class SettingsWindow {
    let window: Widget
    let undo = Widget.button(icon: "edit-undo-symbolic", tooltip: "Undo")
    private(set) var rows: [SettingRow] = []
    let tokenRow = TokenRow()
    private let file = PreferencesFile.standard
    private let group = adw_preferences_group_new()!
    private var changes: Task<Void, Never>?
    private var lastChange: LastChange? {
        didSet {
            undo.isSensitive = lastChange != nil
            gtk_widget_set_tooltip_text(undo, lastChange.map { "Undo: \($0.title)" } ?? "Undo")
        }
    }

    init(_ application: UnsafeMutablePointer<AdwApplication>, isTraced: Bool) {
        window = UnsafeMutableRawPointer(application)
            .withMemoryRebound(to: GtkApplication.self, capacity: 1) { adw_application_window_new($0) }
        gtk_window_set_title(window.cast(), "Settings")
        gtk_window_set_default_size(window.cast(), 560, 620)

        let header = adw_header_bar_new()!, page = adw_preferences_page_new()!, all = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
        adw_header_bar_pack_start(header.opaque, undo)
        gtk_widget_set_vexpand(page, 1)
        gtk_box_append(all.cast(), header)
        gtk_box_append(all.cast(), page)
        adw_application_window_set_content(window.cast(), all)

        rows = file.settings(of: Settings.all).map { setting in
            SettingRow(setting) { [unowned self] row, change in make(change, in: row) }
        }
        adw_preferences_group_set_title(group.cast(), "Editor")
        for row in rows {
            adw_preferences_group_add(group.cast(), row.row)
            adw_preferences_group_add(group.cast(), row.errorRow)
        }
        adw_preferences_page_add(page.cast(), group.cast())
        let secrets = adw_preferences_group_new()!
        adw_preferences_group_set_title(secrets.cast(), "Account")
        adw_preferences_group_add(secrets.cast(), tokenRow.row)
        adw_preferences_page_add(page.cast(), secrets.cast())

        // Its widgets are used until the last change has been made.
        gtk_window_set_hide_on_close(window.cast(), 1)
        connect(window, "hide") { [unowned self] in close() }
        undo.isSensitive = false
        connect(undo, "clicked") { [unowned self] in takeBack() }
        if isTraced { Trace.follow(self) }
        Task {  // as long as the program runs
            // The settings now, then again whenever this window, another process, an editor or a fleet has changed one.
            for await settings in file.settingUpdates(of: Settings.all) { show(settings) }
        }
        Task { await tokenRow.follow(Settings.token) }
    }

    func present() { gtk_window_present(window.cast()) }

    private func show(_ settings: [Setting]) {
        let obstacle = file.obstacle
        group.setDescription(obstacle)
        for (row, setting) in zip(rows, settings) { row.show(setting, isWritable: obstacle == nil) }
        if lastChange?.isLast(for: settings) == false { lastChange = nil }
    }

    /// Ends the program when all changes have been made, also that of a text that is being typed.
    private func close() {
        gtk_window_set_focus(window.cast(), nil)
        Task {
            while let last = changes.take() { await last.value }
            if !window.isVisible { g_application_quit(g_application_get_default()) }  // unless somebody has started it again
        }
    }

    /// Runs `body` when all that was begun before has ended: of two quick clicks, the last one counts.
    private func afterEarlierChanges(_ body: @escaping @MainActor () async -> Void) {
        let earlier = changes
        changes = Task {
            await earlier?.value
            await body()
        }
    }

    private func make(_ change: SettingRow.Change, in row: SettingRow) {
        afterEarlierChanges { [self] in
            let before = row.setting
            if case .set(let input) = change, input.isShown(for: before.value) { return row.error = nil }  // the focus only left
            do throws(PreferencesError) {
                try await change.perform(on: before)
            } catch {
                if case .set(.value) = change { row.showValue() }  // a text can be corrected
                return row.error = error.sentence
            }
            row.error = nil
            let settings = file.settings(of: Settings.all)
            guard let after = settings.first(where: { $0.name == before.name }) else { return }
            lastChange = LastChange(before: before, after: after)
            show(settings)
            if case .reset = change { row.showValue() }
            // The file has the change already. Whether it would survive a power cut is asked beside the next change.
            Task {
                do throws(PreferencesError) { try await file.flush() } catch { row.error = error.sentence }
            }
        }
    }

    private func takeBack() {
        afterEarlierChanges { [self] in
            guard let change = lastChange else { return }
            lastChange = nil
            do throws(PreferencesError) {
                try await change.undo()
            } catch {
                return group.setDescription(error.sentence)
            }
            show(file.settings(of: Settings.all))
        }
    }
}

extension PreferencesError {
    /// For the person: of a refused value only the reason, for the row says the rest.
    var sentence: String {
        if case .notValid(_, _, let reason) = self { "Not stored: \(reason)." } else { description }
    }
}
