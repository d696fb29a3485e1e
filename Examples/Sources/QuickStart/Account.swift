import StoredValues

/// What is in the keyring.
struct Account {
    @SecurelyStoredValue(key: "token") var token: String?
}
