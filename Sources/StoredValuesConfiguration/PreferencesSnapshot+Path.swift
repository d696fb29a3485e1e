#if Configuration
    import StoredValues

    extension PreferencesSnapshot {
        /// The value that `path` names, such as `http.timeout`: the stored value of that name, else the member `timeout` of the
        /// stored value `http`. Objects and nil are no values.
        func value(atPath path: String) -> JSONValue? {
            // What begins with $ is the library's own.
            path.hasPrefix("$") ? nil : Self.value(at: path.split(separator: ".", omittingEmptySubsequences: false)[...]) { self[$0] }
        }

        private static func value(at path: ArraySlice<Substring>, in member: (String) -> JSONValue?) -> JSONValue? {
            for end in path.indices.reversed() {
                guard let found = member(path[...end].joined(separator: ".")) else { continue }
                let rest = path[(end + 1)...]
                switch found {
                case .object(let members):
                    if let value = value(at: rest, in: { members[$0] }) { return value }
                case .null where rest.isEmpty: return nil  // a stored nil, which hides what lies behind shorter names
                case _ where rest.isEmpty: return found
                default: break
                }
            }
            return nil
        }
    }
#endif
