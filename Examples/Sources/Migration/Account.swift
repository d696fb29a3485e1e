import StoredValues

struct Account: Sendable {
    @SecurelyStoredValue<String>(key: "token") var token
}
