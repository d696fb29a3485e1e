import Foundation
import StoredValues

/// Version 3 of a program whose settings changed their shape twice and their name once, and whose token lay in a plain file.
@main
enum Main {
    static func main() async {
        StorageSystem.bootstrap(applicationID: "com.example.Migration")

        let appearance = PreferencesFile.standard[.appearance]  // whichever version wrote it, under whichever name
        print("Appearance: \(appearance.font.size) point \(appearance.font.family), \(appearance.theme)")

        let folder = URL(fileURLWithPath: PreferencesFile.standard.path).deletingLastPathComponent()
        do {
            let old = try OldSettings.all(in: folder)
            for settings in old {
                for refusal in await settings.import(into: .standard) { print("Not imported: \(refusal)") }
            }
            if !old.isEmpty { print("Server: \(PreferencesFile.standard[.host]):\(PreferencesFile.standard[.port])") }
        } catch {
            print("Not imported: \(error.localizedDescription)")
        }

        let file = PlainFile(path: folder.appendingPathComponent("token").path)
        do {
            switch try await TokenMove(from: file, to: Account().$token).run() {
            case .moved: print("Token: moved from \(file.path) into the keyring")
            case .alreadyInKeyring: print("Token: is in the keyring; \(file.path) was removed")
            case .nothingToMove: print("Token: nothing to move")
            }
        } catch {
            print("Token: \(error)")
            exit(EXIT_FAILURE)
        }
    }
}
