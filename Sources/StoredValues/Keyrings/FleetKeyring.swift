import Dispatch
import StoredValuesFiles
import StoredValuesSupport

/// The secrets that the machines of a fleet share: an encrypted file that the machine's agent mirrors, opened with this machine's
/// key. It can be read only; `stored-values-fleet secret` changes it for all machines.
///
/// ``changes`` reports each change as soon as the agent has mirrored it. Reading throws on a machine where no agent has mirrored
/// any settings yet: a secret is absent only if the mirrored file does not have it.
public struct FleetKeyring: Keyring, ReadOnlyKeyring {
    /// The current one first.
    private let keys: [EncryptedFileKey]
    /// The agent's folder; nil for the one that the environment names.
    private let folder: String?
    private let opened = Opened()
    /// The real paths of the keys, resolved once: the identity of a dictionary key must not change. Nil for a passphrase.
    private let keyPlaces: [String?]
    private let deadline: Duration
    private let operations: FileOperations

    /// Created at the first use, when `StorageSystem.bootstrap` has run.
    private final class Opened: Sendable {
        let parts = Guarded<Parts?>(nil)
        /// Checks the files, because a disk may hang.
        let queue = DispatchQueue(label: "StoredValues.FleetKeyring")
    }

    /// The mirrored file, with a keyring for each key; the settings; and the file which records that this machine has seen secrets.
    private typealias Parts = (file: DurableFile, keyrings: [EncryptedFileKeyring], settings: DurableFile, seen: DurableFile)

    /// The fleet's secrets of this application, opened with `key`, or else with `formerKey`.
    public init(key: EncryptedFileKey, formerKey: EncryptedFileKey? = nil) { self.init(key: key, formerKey: formerKey, folder: nil) }

    init(
        key: EncryptedFileKey, formerKey: EncryptedFileKey?, folder: String?, deadline: Duration = .seconds(5),
        operations: FileOperations = .posix
    ) {
        (self.folder, self.deadline, self.operations) = (folder, deadline, operations)
        keys = [key, formerKey].compactMap(\.self)
        keyPlaces = keys.map(\.place)
    }

    /// The kind of keyring, and the source of its key.
    public var description: String {
        "the fleet's secrets on this machine, opened with \(keys.map(\.description).joined(separator: " or "))"
    }

    /// Two with the same keys are the same keyring; one with a passphrase only equals itself.
    public var identity: any Hashable & Sendable {
        ([folder ?? ""] + keyPlaces.map { $0 ?? "\(ObjectIdentifier(opened))" }).map { Array($0.utf8) }
    }

    /// The secret, or nil if the mirrored file does not have it. If neither key opens the file, it throws what is wrong with the
    /// current one: ``KeyringError/wrongKey``, or that its file is missing, for example.
    public func read(_ id: SecretIdentifier) async throws(KeyringError) -> Secret? {
        try await ask { keyring throws(KeyringError) in try await keyring.read(id) }
    }

    /// The secrets of `service`, sorted by account.
    public func identifiers(inService service: String) async throws(KeyringError) -> [SecretIdentifier] {
        try await ask { keyring throws(KeyringError) in try await keyring.identifiers(inService: service) }
    }

    /// Tries the keys on the mirrored file, and returns if one opens it, or it is known that there are no secrets.
    public func unlock() async throws(KeyringError) {
        try await ask { keyring throws(KeyringError) in try await keyring.unlock() }
    }

    /// Changes of the mirrored file.
    public var changes: KeyringChanges { (try? parts())?.keyrings.first?.changes ?? .none }

    /// The answer to `question` with the first key that opens the mirrored file.
    private func ask<Answer>(
        _ question: (EncryptedFileKeyring) async throws(KeyringError) -> Answer
    ) async throws(KeyringError) -> Answer {
        let end = ContinuousClock.now + deadline
        func lookUp() async throws(KeyringError) -> (parts: Parts, file: FileIdentity?) {
            try await opened.queue.perform(deadline: end - .now) { _ throws(KeyringError) in
                let parts = try parts()
                return (parts, try Self.requireFile(parts))
            }
        }
        do throws(KeyringError) {
            while true {
                let (parts, before) = try await lookUp()
                var answer: Answer?
                var reasons: [KeyringError] = []
                for keyring in parts.keyrings where answer == nil {
                    do throws(KeyringError) {
                        answer = try await question(EncryptedFileKeyring(keyring, deadline: end - .now))
                    } catch {
                        // A machine has the new key, the old one, or both, while keys are changed.
                        reasons.append(error)
                    }
                }
                // If the file was removed meanwhile, it looked like one without secrets, also if there is another one by now; if it was
                // replaced, a key that was tried before may open the new one.
                if answer == nil || before != nil, try await lookUp().file != before { continue }
                if let answer {
                    UnusableSecrets.note(nil, of: before, at: parts.file.path)
                    return answer
                }
                if let error = reasons.first(where: \.isOfContent) { UnusableSecrets.note(error.description, of: before, at: parts.file.path) }
                throw reasons.first ?? .notBuiltIn  // there is always a reason
            }
        } catch .timedOut {
            throw .timedOut(after: deadline)
        }
    }

    /// The file; nil if the fleet has no secrets. That is known only where the agent has read the settings and has never seen secrets;
    /// otherwise a missing file throws. In a program that could not open it, that is `.notBuiltIn`.
    private static func requireFile(_ parts: Parts) throws(KeyringError) -> FileIdentity? {
        guard EncryptedFileKeyring.isBuiltIn else { throw .notBuiltIn }
        let wasSeen: Bool
        do {
            if let file = try parts.file.currentIdentity() { return file }
            wasSeen = try parts.seen.currentIdentity() != nil
            let isRead = try parts.settings.currentIdentity() != nil
            // The agent writes the file before the others, perhaps just now.
            if let file = try parts.file.currentIdentity() { return file }
            if isRead, !wasSeen { return nil }
        } catch {
            throw KeyringError(error)
        }
        let path = parts.file.path
        let message =
            wasSeen
            ? "the fleet has secrets, but \"\(path)\" is missing; start the agent again, which brings it back or says why not"
            : "no agent has brought the fleet's secrets to this machine: there is no \"\(path)\"; start the agent (stored-values-fleet agent)"
        throw .other(domain: "FleetKeyring", code: wasSeen ? 3 : KeyringError.fleetIsUnread, message: message)
    }

    private func parts() throws(KeyringError) -> Parts {
        if let parts = opened.parts.withLock({ $0 }) { return parts }
        guard let folder = FleetFolder(folder) else {
            throw .other(domain: "FleetKeyring", code: 2, message: "the environment variable STORED_VALUES_FLEET is not UTF-8; set it to another folder")
        }
        let id = StorageSystem.applicationID  // without the lock
        func file(_ path: String) -> DurableFile { DurableFile(path: path, operations: operations) }
        let mirrored = file(folder.secrets(of: id)), keyrings = keys.map { EncryptedFileKeyring(file: mirrored, key: $0) }
        let new = Parts(mirrored, keyrings, settings: file(folder.mirror(of: id)), seen: file(folder.seenSecrets(of: id)))
        return opened.parts.withLock { parts in
            parts = parts ?? new
            return parts ?? new
        }
    }
}

extension Keyring where Self == FleetKeyring {
    /// The ``FleetKeyring`` of this application, opened with `key`. While the fleet's key is being changed, some machines need
    /// `formerKey` too: the file is opened with whichever opens it.
    public static func fleet(key: EncryptedFileKey, formerKey: EncryptedFileKey? = nil) -> FleetKeyring {
        FleetKeyring(key: key, formerKey: formerKey)
    }
}

extension KeyringError {
    /// Whether the encrypted file is to blame, not a missing key or the time.
    fileprivate var isOfContent: Bool {
        switch self {
        case .wrongKey, .damaged, .other(domain: "EncryptedFileKeyring", code: 3, message: _): true
        default: false
        }
    }
}
