#if Configuration
    import Configuration
    import FoundationEssentials
    import StoredValues

    extension ConfigContent {
        /// The value that a wrapper of this type would read; nil if the value has another type.
        init?(_ json: JSONValue, _ type: ConfigType) {
            let content: ConfigContent? =
                switch type {
                case .string: json.item(String.self).map(Self.string)
                case .int: json.item(Int.self).map(Self.int)
                case .double: json.item(Double.self).map(Self.double)
                case .bool: json.item(Bool.self).map(Self.bool)
                case .bytes: json.bytes.map(Self.bytes)
                case .stringArray: json.item([String].self).map(Self.stringArray)
                case .intArray: json.item([Int].self).map(Self.intArray)
                case .doubleArray: json.item([Double].self).map(Self.doubleArray)
                case .boolArray: json.item([Bool].self).map(Self.boolArray)
                case .byteChunkArray: json.byteChunks.map(Self.byteChunkArray)
                }
            guard let content else { return nil }
            self = content
        }

        /// The secret as a value of this type: its text, or its JSON. Bytes may also be base64 without quotes, or a secret that
        /// is not UTF-8.
        init?(_ secret: RawSecret, _ type: ConfigType) {
            guard let text = secret.text else {
                guard type == .bytes else { return nil }
                self = .bytes(secret.bytes)
                return
            }
            if type == .string {
                self = .string(text)
            } else if let json = JSONValue(text: text), let content = ConfigContent(json, type) {
                self = content
            } else if type == .bytes, let content = ConfigContent(.string(text), type) {
                self = content
            } else {
                return nil
            }
        }
    }

    extension JSONValue {
        /// The bytes that `Data` or `[UInt8]` is stored as.
        fileprivate var bytes: [UInt8]? { item(Data.self).map(Array.init) ?? item([UInt8].self) }

        fileprivate var byteChunks: [[UInt8]]? {
            guard let chunks = arrayValue?.map(\.bytes), !chunks.contains(nil) else { return nil }
            return chunks.compactMap(\.self)
        }
    }
#endif
