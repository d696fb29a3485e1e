import StoredValuesSupport

extension StoredKey {
    /// Makes what the variable of this key says its value, if there is a variable, and that is a valid value; else logs why not.
    func claimVariable(in store: PreferencesStore) {
        let key = PreferencesKey(name), itemType = ObjectIdentifier(Item.self)
        guard let (variable, text) = store.environment?.unclaimed(key, as: itemType) else { return }
        var content: StoredJSON?, reason: String?
        do {
            guard let text else { throw TextMisfit(description: "it is not UTF-8") }
            let json = try json(typed: text)
            _ = try validated(ItemDecoder.decode(Item.self, from: json))
            content = StoredJSON(json: json.text(level: 1), version: ItemSchema(of: Item.self).version)
        } catch {
            reason = "\(error)"
        }
        store.claim(EnvironmentLayer.Claim(key: key, itemType: itemType, variable: variable, content: content), passedOverFor: reason)
    }
}

extension PreferencesFile {
    /// The names of the variables of these keys, by key, if variables can have values of this file; without those that two keys
    /// would claim, which are passed to `whereTwice`.
    func variables(of keys: [AnyStoredKey], whereTwice: (_ variable: String, _ keys: [String]) -> Void = { _, _ in }) -> [String: String] {
        guard let variables = store.environment?.variables else { return [:] }
        let byVariable = Dictionary(grouping: keys.map(\.name).distinctKeys) { variables.name(of: $0) }
        for (variable, names) in byVariable where names.count > 1 { whereTwice(variable, names) }
        let single = byVariable.compactMap { variable, names in names.count == 1 ? (names[0], variable) : nil }
        return Dictionary(single) { first, _ in first }
    }
}
