import StoredValuesSupport

/// The environment variables with a prefix, as they were when the program named the prefix.
package struct EnvironmentVariables: Sendable {
    let prefix: String
    /// By their names; nil for one that is not UTF-8.
    let texts: [String: String?]

    /// Copies the variables now, or takes `texts` in their place.
    init(prefix: String, _ texts: [String: String?]? = nil) {
        self.prefix = prefix
        self.texts = texts ?? environmentVariables(withPrefix: prefix)
    }

    /// Whether names of variables can begin with it, and the library's own do not.
    static func isPrefix(_ prefix: String) -> Bool {
        guard let first = prefix.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
        return prefix.unicodeScalars.allSatisfy(\.isPartOfVariable) && prefix.after(prefix: "STORED_VALUES_") == nil
    }

    /// The name of the variable of `key`, set or not.
    func name(of key: String) -> String { prefix + Self.name(of: key) }

    /// The name of the variable of `key` after the prefix: `http.maxConnections` is `HTTP_MAX_CONNECTIONS`.
    ///
    /// An underscore separates a small letter from the capital after it. Letters of ASCII become capitals, its digits stay, and every
    /// other scalar is an underscore. The same as for swift-configuration's provider, in ASCII.
    package static func name(of key: String) -> String {
        var name = "", last: Unicode.Scalar = "_"
        for scalar in key.unicodeScalars {
            if ("a"..."z").contains(last), ("A"..."Z").contains(scalar) { name += "_" }
            name += scalar.isPartOfVariable ? scalar.properties.uppercaseMapping : "_"
            last = scalar
        }
        return name
    }
}

extension Unicode.Scalar {
    /// Whether it is an ASCII letter, digit or underscore.
    fileprivate var isPartOfVariable: Bool { self == "_" || isASCII && (properties.isAlphabetic || ("0"..."9").contains(self)) }
}
