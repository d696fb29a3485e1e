import LibsecretHeaders

/// Calls libsecret once, for nothing: what bringing it and GLib in costs any Swift program.
@main
enum StartLibsecret {
    static func main() {
        if secret_error_get_quark() == 0 { print("libsecret has no errors of its own.") }
    }
}
