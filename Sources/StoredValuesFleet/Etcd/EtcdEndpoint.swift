#if Fleet
    import NIOCore
    import StoredValuesSupport

    /// The address of one member: `https://db1.example.com:2379`, or on this machine `http://127.0.0.1:2379`.
    struct EtcdEndpoint: Hashable, Sendable, CustomStringConvertible {
        /// `https://host:port`, without a slash at the end.
        let description: String
        let isPlain: Bool
        /// A name, or an address without brackets.
        let host: String
        let port: Int

        /// The endpoint with this address. Plaintext is allowed to this machine only: it would expose settings and passwords on the network.
        init(_ text: String) throws(FleetError) {
            func refusal(_ reason: String) -> FleetError {
                .misconfigured("\"\(text)\" is not the address of an etcd member: \(reason). Write it as https://db1.example.com:2379.")
            }
            let isPlain = text.after(prefix: "http://") != nil
            guard var rest = text.after(prefix: "https://") ?? text.after(prefix: "http://") else {
                throw refusal("it does not begin with https://")
            }
            if rest.utf8.last == UInt8(ascii: "/") { rest = String(Substring(rest.utf8.dropLast())) }
            // Only a host and a port: the HTTP client could parse a user, a path or a query differently.
            let marks = "-._:[]".unicodeScalars
            let isPermitted = rest.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || marks.contains(scalar))
            }
            guard isPermitted else { throw refusal("it has characters that a host name cannot have") }
            guard let colon = rest.utf8.lastIndex(of: UInt8(ascii: ":")), let port = UInt16(rest[rest.utf8.index(after: colon)...]), port > 0,
                rest.utf8.last != UInt8(ascii: "]")
            else { throw refusal("it has no port") }
            let host = String(rest[..<colon])
            let isBracketed = host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
            let isName = !host.isEmpty && !host.has(":") && !host.has("[") && !host.has("]")
            guard isName || isBracketed && Self.address(String(host.dropFirst().dropLast()))?.protocol == .inet6 else {
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
        var isAddress: Bool { Self.address(host) != nil }

        private static func isLoopback(_ host: String) -> Bool {
            // Parsed as the system does: 0127.0.0.1 is another machine's address.
            host.isIdentical(to: "localhost") || host.isIdentical(to: "[::1]")
                || host.after(prefix: "127.") != nil && address(host)?.protocol == .inet
        }

        private static func address(_ text: String) -> SocketAddress? { try? SocketAddress(ipAddress: text, port: 0) }
    }
#endif
