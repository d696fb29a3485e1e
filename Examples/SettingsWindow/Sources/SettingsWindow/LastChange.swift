import StoredValues

/// The last change that a person made in this window, to take it back.
struct LastChange: Sendable {
    /// As it was.
    let before: Setting
    /// As it became.
    let after: Setting

    /// What is taken back, for the person.
    var title: String { before.label }

    /// Whether the setting is still as the change left it: what somebody else has changed meanwhile is not taken back.
    func isLast(for settings: [Setting]) -> Bool {
        settings.contains { $0.name == after.name && $0.value == after.value && $0.isStored == after.isStored }
    }

    /// On another thread, as ``SettingRow/Change/perform(on:)``.
    @concurrent
    func undo() async throws(PreferencesError) {
        if before.isStored { try before.set(before.value) } else { before.reset() }
    }
}
