import Testing

#if EncryptedFile
    let isEncryptedFileBuiltIn = true
#else
    let isEncryptedFileBuiltIn = false
#endif

extension Trait where Self == ConditionTrait {
    /// For tests that keep secrets in an encrypted file.
    static var needsEncryptedFile: Self { .enabled(if: isEncryptedFileBuiltIn, "built without the trait EncryptedFile") }
}
