#if Fleet
    import StoredValuesSupport

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The address of one member: `https://db1.example.com:2379`, or on this machine `http://127.0.0.1:2379`.
    struct EtcdEndpoint: Hashable, Sendable, CustomStringConvertible {
        /// `https://host:port`, without a slash at the end.
        let description: String
        let isPlain: Bool
        /// A name or an address, which has no brackets.
        let host: String
        let port: Int

        /// The endpoint with this address. Plaintext is for this machine alone: everything else would show settings, and
        /// passwords, to whoever is on the way.
        init(_ text: String) throws(FleetError) {
            func refusal(_ reason: String) -> FleetError {
                .misconfigured("\"\(text)\" is not the address of an etcd member: \(reason). Write it as https://db1.example.com:2379.")
            }
            let isPlain = text.after(prefix: "http://") != nil
            guard var rest = text.after(prefix: "https://") ?? text.after(prefix: "http://") else {
                throw refusal("it does not begin with https://")
            }
            if rest.utf8.last == UInt8(ascii: "/") { rest = String(Substring(rest.utf8.dropLast())) }
            // Nothing else than a host and a port: a user, a path or a query would mean something else to us than to the client.
            let isPermitted = rest.utf8.allSatisfy { byte in
                let lower = byte | 0x20
                return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower) && byte >= 0x41
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._:[]".utf8.contains(byte)
            }
            guard isPermitted else { throw refusal("it has characters that no host name has") }
            guard let colon = rest.utf8.lastIndex(of: UInt8(ascii: ":")), let port = UInt16(rest[rest.utf8.index(after: colon)...]), port > 0,
                rest.utf8.last != UInt8(ascii: "]")
            else { throw refusal("it has no port") }
            let host = String(rest[..<colon])
            let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
            let isName = !host.isEmpty && !host.has(":") && !host.has("[") && !host.has("]")
            guard isName || isBracketed && Self.isAddress(String(host.dropFirst().dropLast()), AF_INET6) else {
                throw refusal("its host is not a name or an address")
            }
            guard !isPlain || Self.isLoopback(host) else {
                throw refusal("http:// is for this machine only (127.0.0.1, [::1] or localhost), because it encrypts nothing")
            }
            self.isPlain = isPlain
            self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
            self.port = Int(port)
            description = "\(isPlain ? "http" : "https")://\(host):\(port)"
        }

        /// Whether the host is an address, not a name.
        var isAddress: Bool { Self.isAddress(host, AF_INET) || Self.isAddress(host, AF_INET6) }

        private static func isLoopback(_ host: String) -> Bool {
            // As the system reads it, and not as it looks: 0127.0.0.1 is another machine's.
            host.isIdentical(to: "localhost") || host.isIdentical(to: "[::1]")
                || host.after(prefix: "127.") != nil && isAddress(host, AF_INET)
        }

        private static func isAddress(_ text: String, _ family: Int32) -> Bool {
            var address = in6_addr()
            return inet_pton(family, text, &address) == 1
        }
    }
#endif
