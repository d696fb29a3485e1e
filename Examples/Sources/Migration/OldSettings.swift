import StoredValues

/// Settings that the program kept before in an INI file or a dotenv file: lines with a name and a text.
///
/// Each text is read as the type of its key wants it, and validated. What is refused is returned with the reason; all else is imported.
struct OldSettings {
    let lines: [(name: String, text: String)]

    /// The lines of an INI file; the name of one in a section is `section.name`.
    init(ini text: String) {
        var section = ""
        lines = text.split(whereSeparator: \.isNewline).compactMap { line in
            let line = line.trimmed
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = "\(line.dropFirst().dropLast())."
                return nil
            }
            guard !line.hasPrefix(";"), !line.hasPrefix("#"), let (name, value) = line.parts else { return nil }
            return (section + name, value)
        }
    }

    /// The lines of a dotenv file: `export NAME="text"`.
    init(dotenv text: String) {
        lines = text.split(whereSeparator: \.isNewline).compactMap { line in
            let line = line.trimmed
            guard !line.hasPrefix("#"), let (name, value) = (line.hasPrefix("export ") ? line.dropFirst(7).trimmed : line).parts else { return nil }
            for quote in ["\"", "'"] where value.count > 1 && value.hasPrefix(quote) && value.hasSuffix(quote) {
                return (name, String(value.dropFirst().dropLast()))
            }
            return (name, value)
        }
    }

    /// Sets all that `keys` names, from the old names to the keys, and returns why others were not: no key, or not a value of it.
    ///
    /// What the file has already stays, so that an import can be repeated.
    func `import`(into file: PreferencesFile, _ keys: [String: AnyStoredKey]) -> [String] {
        lines.compactMap { name, text in
            guard let key = keys[name], let setting = file.settings(of: [key]).first else { return "\(name): there is no such setting" }
            guard setting.source == .code else { return nil }
            do throws(PreferencesError) {
                try setting.set(text: text)
                return nil
            } catch {
                return "\(name): \(error)"
            }
        }
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// What is before and after the first equals sign.
    fileprivate var parts: (name: String, value: String)? {
        guard let sign = firstIndex(of: "=") else { return nil }
        return (self[..<sign].trimmed, self[index(after: sign)...].trimmed)
    }
}
