import StoredValuesSupport

/// The folder in which the agent keeps the fleet's settings: `$STORED_VALUES_FLEET`, by default `/var/lib/stored-values/fleet`. By default
/// the report is in the runtime folder, because it is written every few seconds, which should not wear a disk.
package struct FleetFolder: Sendable, Equatable {
    /// The environment variable that names another folder.
    package static let variable = "STORED_VALUES_FLEET"
    private static let standard = "/var/lib/stored-values/fleet", runtime = "/run/stored-values/fleet"
    private static let mirrorName = "preferences.json"

    /// The folder, without a slash at its end.
    package let path: String

    /// The folder at `path`, or if that is nil, the one that the environment names or the default. Nil if `path` is relative, or
    /// the variable is not UTF-8; a relative or empty path in the variable counts as not set.
    package init?(_ path: String? = nil) {
        guard let path else {
            let named: String?
            do { named = try environmentVariable(Self.variable) } catch { return nil }
            self.path = named.flatMap(Self.proper) ?? Self.standard
            return
        }
        guard let path = Self.proper(path) else { return nil }
        self.path = path
    }

    /// The file with the settings of this application, a preferences file.
    package func mirror(of applicationID: String) -> String { "\(path)/\(applicationID)/\(Self.mirrorName)" }

    /// The file with its secrets, an encrypted file.
    package func secrets(of applicationID: String) -> String { "\(path)/\(applicationID)/secrets" }

    /// The same beside the mirror at `path`.
    static func secrets(besideMirror path: String) -> String { String(Substring(path.utf8.dropLast(mirrorName.utf8.count))) + "secrets" }

    /// The file that says which of them this machine has seen.
    package func seenSecrets(of applicationID: String) -> String { "\(secrets(of: applicationID)).seen.json" }

    /// The file that says how fresh the mirror is.
    package func report(of applicationID: String) -> String { Self.report(onMirror: mirror(of: applicationID)) }

    /// The file that says how fresh the mirror at `path` is: beside it, or in the runtime folder.
    static func report(onMirror path: String) -> String {
        let place = String(Substring(path.utf8.dropLast(mirrorName.utf8.count)))
        return (place.after(prefix: "\(standard)/").map { "\(runtime)/\($0)" } ?? place) + "status.json"
    }

    /// A checksum that distinguishes contents of a mirror (FNV-1a, 64 bits). It is no protection against contents chosen to collide.
    package static func digest(of bytes: [UInt8]) -> UInt64 {
        // A mirror may have many megabytes, and in a debug build `reduce` takes a call for each byte.
        bytes.withUnsafeBufferPointer { bytes in
            var digest: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return digest
        }
    }

    /// An absolute path without slashes at its end; nil if it is not one.
    private static func proper(_ path: String) -> String? {
        guard path.begins(with: "/"), !path.has("\0") else { return nil }
        let count = path.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.count
        return String(Substring(path.utf8.prefix(count)))
    }
}

extension LayerKind {
    /// The settings that this machine shares with others.
    static let fleet = LayerKind(
        source: .fleet, name: "the fleet's settings", cure: "Restart the agent, which rewrites the file.", digest: FleetFolder.digest)
}

extension StorageSystem {
    /// The layers of the application's standard file above the system-wide defaults.
    static var sharedLayers: (paths: [String], kind: LayerKind) {
        ([FleetFolder()?.mirror(of: applicationID)].compactMap(\.self), .fleet)
    }
}
