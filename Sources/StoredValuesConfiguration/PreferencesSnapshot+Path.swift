#if Configuration
    import StoredValues

    extension PreferencesSnapshot {
        /// The value at `path`, such as `http.timeout`: the stored value of that name, else the member `timeout` of the stored
        /// value `http`. Objects and nil are no values. Throws if a stored value on the way cannot be read.
        func value(atPath path: String) throws -> JSONValue? {
            // Names that begin with $ are reserved for the library.
            guard !path.isReservedKey else { return nil }
            return try Self.value(at: path.split(separator: ".", omittingEmptySubsequences: false)[...], in: value(of:))
        }

        private static func value(at path: ArraySlice<Substring>, in member: (String) throws -> JSONValue?) rethrows -> JSONValue? {
            for end in path.indices.reversed() {
                guard let found = try member(path[...end].joined(separator: ".")) else { continue }
                let rest = path[(end + 1)...]
                switch found {
                case .object(let members):
                    if let value = Self.value(at: rest, in: { members[$0] }) { return value }
                case .null where rest.isEmpty: return nil  // a stored nil, which hides values of shorter names
                case _ where rest.isEmpty: return found
                default: break
                }
            }
            return nil
        }
    }
#endif
