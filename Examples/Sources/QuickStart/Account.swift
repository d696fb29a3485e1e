import StoredValues

/// What lies in the keyring.
struct Account {
    @SecurelyStoredValue<String>(key: "token") var token
}
