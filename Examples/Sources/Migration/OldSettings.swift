import Foundation
import StoredValues

extension StoredKey where Item == Int {
    static let port = StoredKey("port", default: 80, in: 1...65535, help: "Where the server listens")
}

extension StoredKey where Item == String {
    static let host = StoredKey("host", default: "localhost", help: "The server")
}

extension StoredKey where Item == Set<String> {
    /// The settings whose import is done.
    static let imported = StoredKey("imported", default: [])
}

/// Settings that the program kept before in an INI file or a dotenv file: lines with a name and a text.
///
/// Each text is read as the type of its key wants it, and validated. What is refused is returned with the reason; all else is imported.
struct OldSettings {
    /// The keys by their names in the old files.
    static let keys = [
        "server.host": AnyStoredKey(.host), "server.port": AnyStoredKey(.port), "HOST": AnyStoredKey(.host), "PORT": AnyStoredKey(.port),
    ]

    let lines: [(name: String, text: String)]

    /// Those of the files `settings.ini` and `.env` that are in `folder`. Throws if one is there and cannot be read, as where it is not UTF-8.
    static func all(in folder: URL) throws -> [OldSettings] {
        func text(_ name: String) throws -> String? {
            do { return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8) } catch CocoaError.fileReadNoSuchFile { return nil }
        }
        return [try text("settings.ini").map(OldSettings.init(ini:)), try text(".env").map(OldSettings.init(dotenv:))].compactMap(\.self)
    }

    /// The lines of an INI file; the name of one in a section is `section.name`.
    init(ini text: String) {
        var section = ""
        lines = text.split(whereSeparator: \.isNewline).compactMap { line in
            let line = line.trimmingCharacters(in: .whitespaces)
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
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.hasPrefix("#"), let (name, value) = (line.hasPrefix("export ") ? String(line.dropFirst(7)) : line).parts else { return nil }
            for quote in ["\"", "'"] where value.count > 1 && value.hasPrefix(quote) && value.hasSuffix(quote) {
                return (name, String(value.dropFirst().dropLast()))
            }
            return (name, value)
        }
    }

    /// Sets all that ``keys`` names, and returns why others were not: no key, not a value of it, or one that the environment has; and why the
    /// file could not be saved.
    ///
    /// What the file has already stays, and each setting is imported once: one that the user has reset stays so. What is refused is tried
    /// again at the next start. The batch stores a value together with the fact that it was imported, also if the process is killed.
    func `import`(into file: PreferencesFile) async -> [String] {
        let imported = StoredValue(.imported, storage: file)
        let refused: [String] = file.batch {
            lines.compactMap { name, text in
                guard let key = Self.keys[name], let setting = file.settings(of: [key]).first else { return "\(name): there is no such setting" }
                guard !imported.value.contains(setting.name) else { return nil }
                do throws(PreferencesError) {
                    if !setting.isStored { try setting.set(text: text) }
                    imported.update { $0.insert(setting.name) }
                    return nil
                } catch {
                    return "\(name): \(error)"
                }
            }
        }
        // What cannot be written is in memory only, and would end with the program.
        do throws(PreferencesError) { try await file.flush() } catch { return refused + ["\(error)"] }
        return refused
    }
}

extension String {
    /// What is before and after the first equals sign.
    fileprivate var parts: (name: String, value: String)? {
        guard let sign = firstIndex(of: "=") else { return nil }
        return (self[..<sign].trimmingCharacters(in: .whitespaces), self[index(after: sign)...].trimmingCharacters(in: .whitespaces))
    }
}
