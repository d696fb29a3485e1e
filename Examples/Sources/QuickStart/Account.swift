import StoredValues

/// What lies in the keyring.
///
/// A program that always uses the system's keyring declares it in one line:
///
///     @SecurelyStoredValue<String>(key: "token") var token
struct Account {
    @SecurelyStoredValue<String> var token: String?

    init(keyring: some Keyring) {
        _token = SecurelyStoredValue(key: "token", keyring: keyring)
    }
}
