import FoundationEssentials

/// The half of a signing pair by which anybody can check what the other half has signed.
package struct SigningPublicKey: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The key with this text, which is base64; nil if it is none.
    package init?(text: String) {
        guard let data = Data(base64Encoded: text), data.count == 32 else { return nil }
        bytes = Array(data)
    }

    package var text: String { Data(bytes).base64EncodedString() }
}

/// What is said of an encrypted file: that it is the secrets of this application, with this generation, in this epoch.
package struct SealedStatement: Sendable {
    let file: [UInt8]
    let generation: UInt64
    let epoch: Int
    let applicationID: String

    /// Nil if the bytes are no encrypted file.
    package init?(_ file: [UInt8], epoch: Int, applicationID: String) {
        guard let generation = SealedSecrets.generation(of: file) else { return nil }
        (self.file, self.generation, self.epoch, self.applicationID) = (file, generation, epoch, applicationID)
    }
}
