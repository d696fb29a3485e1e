import StoredValues

/// What lies in the keyring.
struct Account {
    @SecurelyStoredValue(key: "token") var token: String?
}
