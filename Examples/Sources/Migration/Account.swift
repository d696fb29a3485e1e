import StoredValues

struct Account: Sendable {
    @SecurelyStoredValue(key: "token") var token: String?
}
