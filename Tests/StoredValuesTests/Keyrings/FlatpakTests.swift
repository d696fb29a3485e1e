import Foundation
import Testing

@testable import StoredValues

@Suite("What a Flatpak may do", .hangLimit)
struct FlatpakTests {}

extension FlatpakTests {
    @Test(
        "The manifest's rule for the Secret Service is found, whichever form it has",
        arguments: [
            ("", false), ("[Session Bus Policy]\norg.freedesktop.secrets=talk", true), ("[Session Bus Policy]\norg.freedesktop.secrets=own", true),
            ("[Session Bus Policy]\norg.freedesktop.secrets=see", false), ("[Session Bus Policy]\norg.freedesktop.secrets=none", false),
            ("[Session Bus Policy]\norg.freedesktop.*=talk", true), ("[Session Bus Policy]\norg.freedesktop.secrets.*=talk", true),
            ("[Session Bus Policy]\norg.freedesktop.secret=talk\norg.freedesktop.sec.*=talk", false),
            ("[Session Bus Policy]\norg.kde.kwalletd5 = talk\norg.freedesktop.secrets = talk ", true),
            ("[System Bus Policy]\norg.freedesktop.secrets=talk", false), ("[Context]\nsockets=x11;session-bus;wayland;", true),
            ("[Context]\nsockets=x11;system-bus;!session-bus;", false), ("[Context]\nshared=session-bus;", false), ("nonsense=\n[", false),
        ])
    func permission(rules: String, mayUse: Bool) {
        let flatpak = Flatpak("[Application]\nname=org.example.One\nruntime=runtime/x\n\n\(rules)\n\n[Instance]\nname=other\n")
        #expect(flatpak.id == "org.example.One" && flatpak.mayUseSecretService == mayUse)
    }

    @Test("Who has no such file is in no Flatpak, and one that says nothing allows nothing")
    func file() throws {
        try withTemporaryFolder { folder in
            #expect(Flatpak(at: folder + "/info") == nil && Flatpak(at: folder as String) == nil)
            try "".write(toFile: folder + "/info", atomically: false, encoding: .utf8)
            #expect(Flatpak(at: folder + "/info") == Flatpak(""))
            #expect(!Flatpak("").mayUseSecretService)
        }
    }

    @Test("A setting that names a keyring counts in a sandbox, too")
    func setting() {
        let flatpak = Flatpak("[Application]\nname=org.example.One\n")
        #expect(SystemKeyring.choose("secret-service", in: flatpak).keyring is SecretServiceKeyring)
        #expect(SystemKeyring.choose("", in: flatpak).keyring is EncryptedFileKeyring)
        #expect(SystemKeyring.choose("file:/nowhere/x", in: flatpak).description.contains("the key file /nowhere/x.key"))
    }
}
