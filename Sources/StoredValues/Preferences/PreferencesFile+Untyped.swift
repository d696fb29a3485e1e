import FoundationEssentials
import StoredValuesFiles
import StoredValuesSupport

// Access by key without types, for the tools and other code that knows only keys. Programs use `StoredValue`.

extension PreferencesFile {
    /// This file as the calling task sees it, for a task with another temporary storage, or with none.
    package var pinned: PreferencesFile { PreferencesFile(store) }

    /// All values at this moment, as the calling thread sees them.
    package var snapshot: PreferencesSnapshot { PreferencesSnapshot(store.view) }

    /// Stores `value` as if a user had edited the file: the version noted for the old value stays. A value that is nested too
    /// deeply to be read again is not stored, and ``flush()`` throws that.
    package func set(_ key: String, to value: JSONValue) {
        let store = store
        guard !value.isDeeper(than: JSONValue.maximumDepth - 1) else {  // in the file it is one level deeper
            let reason = "it has more than \(JSONValue.maximumDepth - 1) levels of nesting"
            return store.report { $0.refuse(.notEncodable(key: key, path: store.path, reason: reason)) }
        }
        let text = value.text(level: 1)
        store.change("set(_:to:)", of: key) { changes in
            let version = store.view.stored(PreferencesKey(key))?.version ?? 0
            changes.set(key, to: StoredJSON(json: text, version: version), if: .always)
        }
    }

    /// Removes the file's own value of `key`, which uncovers the layers below.
    package func reset(_ key: String) { store.change("reset(_:)", of: key) { $0.set(key, to: nil, if: .always) } }

    /// Reads the file and the layers below it again, and returns the results: the file first, then the layers by precedence. Throws
    /// if there is no file to inspect.
    package func inspect() throws(PreferencesError) -> [PreferencesInspection] {
        let store = store
        let file = try store.file.get().map { PreferencesInspection($0, .file) }
        return [file].compactMap(\.self) + store.layers.map { PreferencesInspection($0.file, $0.kind.source) }
    }

    /// Begins an edit of the whole file. Its text, but never the file, names the JSON Schema at the path `schema`. Throws if there is no
    /// file to edit, or it cannot be read.
    package func beginEdit(schema: String? = nil) throws(PreferencesError) -> PreferencesEdit {
        try PreferencesEdit(store, schema: schema.map { .string(URL(filePath: $0, directoryHint: .notDirectory).absoluteString) })
    }
}

/// The content of a preferences file and the layers below it at one moment, for code that knows only keys.
package struct PreferencesSnapshot: Sendable {
    /// By precedence.
    private let all: [(document: PreferencesDocument, source: ValueSource)]
    private let file: PreferencesDocument

    init(_ view: StoredMembers) {
        let environment = view.environment?.document
        file = view.document
        all = (environment.map { [($0, .environment)] } ?? []) + [(file, .file)] + view.layers.map { ($0.document, $0.kind.source) }
    }

    /// The keys of all values, those of the layers included, sorted.
    package var keys: [String] { all.flatMap(\.document.keys).distinctKeys.filter { !$0.isReservedKey } }

    /// The keys of the file itself that a layer of this source has too, sorted.
    package func keys(hiding source: ValueSource) -> [String] {
        let hidden = all.filter { $0.source == source }
        return file.keys.filter { key in !key.isReservedKey && hidden.contains { $0.document[key] != nil } }
    }

    /// The value of `key` that programs read; nil also if it cannot be read, see ``value(of:)``.
    package subscript(key: String) -> JSONValue? { try? value(of: key) }

    /// The value of `key` that programs read: that of a variable that a declared key of this process has, else the file's, else that
    /// of the first layer that has one. Throws if it contains an unpaired surrogate, which is not valid Unicode.
    package func value(of key: String) throws(JSONSyntaxError) -> JSONValue? {
        guard let text = all.lazy.compactMap({ $0.document[key] }).first else { return nil }
        return try JSONValue(parsing: text)
    }

    package func source(of key: String) -> ValueSource? { all.first { $0.document[key] != nil }?.source }
}

package struct PreferencesInspection: Sendable {
    package enum Content: Sendable, Equatable {
        case missing
        /// The number of keys.
        case keys(Int)
        /// Not JSON, with the reason and position.
        case broken(String)
        /// Not readable, with a message that says why and what to do.
        case unreadable(String)
    }

    /// The path, with links resolved.
    package let path: String
    /// The permission bits; 0 if there is no file.
    package let mode: UInt32
    package let content: Content
    /// What comes from it.
    package let source: ValueSource

    init(_ file: DurableFile, _ source: ValueSource) {
        (path, self.source) = (file.place, source)
        mode = (try? file.status(at: file.path, followingLinks: true))?.mode ?? 0
        do throws(FileError) {
            let reading = try PreferencesReading(known: nil, file.read)
            content =
                switch reading.document {
                case .failure(let error): .broken(error.description)
                case .success where reading.identity == nil: .missing
                case .success(let document): .keys(document.keys.count { !$0.isReservedKey })
                }
        } catch {
            content = .unreadable(error.description)
        }
    }
}

/// A user's edit of the whole file, from the text for the editor to the keys that it changed.
package struct PreferencesEdit: Sendable {
    private let store: PreferencesStore
    /// The members when the edit began. Of a broken file these are the last good ones, not the text.
    private let base: PreferencesDocument
    /// The text for the editor: the file as it is, whole or broken; a whole one begins with the name of its schema.
    package let text: [UInt8]
    /// The name of the schema, if the text has it.
    private let schema: JSONValue?
    private let isBroken: Bool

    package enum Outcome: Equatable, Sendable {
        case nothingChanged
        /// These keys were set or removed, sorted; none if a broken file was corrected to the values that were in use.
        case changed([String])
        /// The text is not JSON, with the reason and position. Nothing was changed.
        case notJSON(String)
        /// These keys were changed elsewhere since the edit began. Nothing was changed.
        case conflict([String])
    }

    fileprivate init(_ store: PreferencesStore, schema: JSONValue?) throws(PreferencesError) {
        let file = try store.file.get()
        self.store = store
        let text: [UInt8]
        do {
            text = try file?.read()?.bytes ?? PreferencesDocument().text
        } catch {
            throw .notRead(path: store.path, reason: error.description)
        }
        let whole = try? PreferencesDocument(parsing: text)
        (base, isBroken) = (whole ?? store.document, whole == nil)
        let isNamed = whole.map { $0[Self.schemaMember] == nil } ?? false
        self.schema = isNamed ? schema : nil
        self.text = self.schema.flatMap { Self.text(text, naming: $0) } ?? text
    }

    private static let schemaMember = "$schema"

    /// The text of an object with the name of its schema as the first member.
    private static func text(_ text: [UInt8], naming schema: JSONValue) -> [UInt8]? {
        guard let start = text.firstIndex(of: UInt8(ascii: "{")) else { return nil }
        let rest = text[(start + 1)...], isEmpty = rest.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "}")
        return text[...start] + Array("\n  \"\(schemaMember)\": \(schema)\(isEmpty ? "\n" : ",")".utf8) + rest
    }

    /// Makes the changes between the old text and `edited`, key by key and in one replacement of the file. Other changes made
    /// meanwhile stay; if both changed a key, nothing is changed unless `overwriting`.
    package func commit(_ edited: [UInt8], overwriting: Bool = false) -> Outcome {
        let new: PreferencesDocument
        do throws(JSONSyntaxError) {
            new = try PreferencesDocument(parsing: edited)
        } catch {
            return .notJSON(error.description)
        }
        // These members cannot be changed, because changes are made by key.
        guard new.unreachableMembers == base.unreachableMembers else {
            return .notJSON("\(JSONSyntaxError.unpairedSurrogate) in a member's name; such members cannot be edited here")
        }
        let keys = (base.keys + new.keys).distinctKeys.filter { key in
            let isOurs = schema != nil && key.isIdentical(to: Self.schemaMember) && (try? new[key].map { try JSONValue(parsing: $0) }) == schema
            return key != MemberVersions.name && !isOurs && !Self.isSame(key, base, new)
        }
        guard !keys.isEmpty || isBroken else { return .nothingChanged }
        return store.change("an edit") { changes in
            let current = store.document
            let conflicts = keys.filter { !Self.isSame($0, base, current) && !Self.isSame($0, new, current) }
            guard conflicts.isEmpty || overwriting else { return .conflict(conflicts) }
            for key in keys { changes.set(key, to: new.stored(PreferencesKey(key)), if: .always) }
            if isBroken { store.requireWriting() }
            return .changed(keys)
        }
    }

    /// Whether both hold the same under `key`, however formatted.
    private static func isSame(_ key: String, _ left: PreferencesDocument, _ right: PreferencesDocument) -> Bool {
        StoredJSON.haveSameMeaning(left.stored(PreferencesKey(key)), right.stored(PreferencesKey(key)))
    }
}
