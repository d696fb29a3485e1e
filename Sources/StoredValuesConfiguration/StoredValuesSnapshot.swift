#if Configuration
    import Configuration
    import FoundationEssentials
    import StoredValues

    /// The content of a ``StoredValuesProvider`` at one moment.
    struct StoredValuesSnapshot: ConfigSnapshot {
        /// The keyring's answer about a secret: its bytes, nil if it is absent, or why there is no answer.
        typealias Answer = Result<RawSecret?, SecretError>

        let providerName: String
        /// The path of the settings.
        let path: String
        let settings: PreferencesSnapshot
        /// By their names in the keyring.
        let secrets: [String: Answer]

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            let name = key.storedName
            if let answer = secrets[name] {
                guard let secret = try answer.get() else { return LookupResult(encodedKey: name, value: nil) }
                guard let content = secret.content(as: type) else {
                    throw ValueNotConvertible(key: name, type: type, place: .keyring)
                }
                return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: true))
            }
            guard let json = try json(forKey: key, type: type) else { return LookupResult(encodedKey: name, value: nil) }
            guard let content = json.content(as: type) else { throw notConvertible(name, type) }
            return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: false))
        }

        /// The stored value of the setting `key`, even if a secret has that name; nil if there is none.
        func json(forKey key: AbsoluteConfigKey, type: ConfigType) throws(ValueNotConvertible) -> JSONValue? {
            do { return try settings.value(atPath: key.storedName) } catch { throw notConvertible(key.storedName, type) }
        }

        private func notConvertible(_ name: String, _ type: ConfigType) -> ValueNotConvertible {
            ValueNotConvertible(key: name, type: type, place: .file(path: path))
        }
    }

    extension StoredValuesSnapshot: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        var description: String { "\(providerName) at one moment (secrets: \(secrets.count))" }
        var debugDescription: String { description }
        var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    extension PreferencesSnapshot {
        /// The value at `path`, such as `http.timeout`: the stored value of that name, else the member `timeout` of the stored
        /// value `http`. Objects and nil are no values. Throws if a stored value on the way cannot be read.
        func value(atPath path: String) throws -> JSONValue? {
            // Names that begin with $ are reserved for the library.
            guard !path.isReservedKey else { return nil }
            let found = try Self.value(at: path.split(separator: ".", omittingEmptySubsequences: false)[...], in: value(of:))
            return found == .null ? nil : found
        }

        /// The value, or a stored nil, which hides values of shorter names; nil if there is none.
        private static func value(at path: ArraySlice<Substring>, in member: (String) throws -> JSONValue?) rethrows -> JSONValue? {
            for end in path.indices.reversed() {
                guard let found = try member(path[...end].joined(separator: ".")) else { continue }
                let rest = path[(end + 1)...]
                if rest.isEmpty, found.objectValue == nil { return found }
                if let value = Self.value(at: rest, in: { found[$0] }) { return value }
            }
            return nil
        }
    }

    extension JSONValue {
        /// The value that a wrapper of this type would read; nil if the value has another type.
        fileprivate func content(as type: ConfigType) -> ConfigContent? {
            switch type {
            case .string: item(String.self).map(ConfigContent.string)
            case .int: item(Int.self).map(ConfigContent.int)
            case .double: item(Double.self).map(ConfigContent.double)
            case .bool: item(Bool.self).map(ConfigContent.bool)
            case .bytes: bytes.map(ConfigContent.bytes)
            case .stringArray: item([String].self).map(ConfigContent.stringArray)
            case .intArray: item([Int].self).map(ConfigContent.intArray)
            case .doubleArray: item([Double].self).map(ConfigContent.doubleArray)
            case .boolArray: item([Bool].self).map(ConfigContent.boolArray)
            case .byteChunkArray: byteChunks.map(ConfigContent.byteChunkArray)
            }
        }

        /// The bytes that `Data` or `[UInt8]` is stored as.
        private var bytes: [UInt8]? { item(Data.self).map(Array.init) ?? item([UInt8].self) }

        private var byteChunks: [[UInt8]]? {
            guard let chunks = arrayValue?.map(\.bytes), !chunks.contains(nil) else { return nil }
            return chunks.compactMap(\.self)
        }
    }

    extension RawSecret {
        /// The secret as a value of this type: its text, or its JSON. Bytes may also be base64 without quotes, or a secret that
        /// is not UTF-8.
        fileprivate func content(as type: ConfigType) -> ConfigContent? {
            guard let text else { return type == .bytes ? .bytes(bytes) : nil }
            if type == .string { return .string(text) }
            return JSONValue(text: text)?.content(as: type) ?? (type == .bytes ? JSONValue.string(text).content(as: type) : nil)
        }
    }
#endif
