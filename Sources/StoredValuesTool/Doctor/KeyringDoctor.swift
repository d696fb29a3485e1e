import FoundationEssentials
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

/// Checks the session bus, the Secret Service and the keyring that programs use.
enum KeyringDoctor {
    static func findings(service: String?) async -> [Finding] {
        let choice = SystemKeyring.selection
        let isDesktop = choice.keyring is SecretServiceKeyring
        var findings = [Finding(.keyring, .fine, "Programs use \(choice.keyring). \(choice.reason)")]
        let (desktop, isRunning) = await self.desktop(isNeeded: isDesktop)
        findings += desktop
        // Asking the desktop's keyring would start it.
        if !isDesktop || isRunning { findings.append(await answer(choice.keyring, service)) }
        return findings
    }

    /// The findings about the desktop's keyring. A missing part is a problem only if it `isNeeded`.
    private static func desktop(isNeeded: Bool) async -> (findings: [Finding], isRunning: Bool) {
        let bad: Finding.Kind = isNeeded ? .problem : .note
        let found: SecretServiceInspection
        do {
            found = try await SecretServiceKeyring().inspect()
        } catch .notBuiltIn {
            return ([Finding(.keyring, bad, "This tool was built without the desktop's keyring.")], false)
        } catch {
            return ([Finding(.keyring, bad, error.textForUser)], false)
        }
        var findings = [Finding(.keyring, .fine, "The session bus is \(found.bus).")]
        guard found.isRunning else {
            let starts = "No program provides the Secret Service now; the bus starts one when it is first needed."
            let text = found.canBeStarted ? starts : KeyringError.noSecretService.description
            return (findings + [Finding(.keyring, found.canBeStarted ? .note : bad, text)], false)
        }
        findings.append(Finding(.keyring, .fine, "The Secret Service is provided by \(owner(found.process))."))
        if found.isPlain == true {
            let advice = "any program that may listen on the session bus can read them. Update it, or use another program"
            findings.append(Finding(.keyring, .note, "It does not encrypt secrets in transit: \(advice)."))
        }
        guard let collection = found.collection else {
            return (findings + [Finding(.keyring, bad, KeyringError.noDefaultCollection.description)], false)
        }
        let name = "The default collection, \"\(collection)\","
        guard found.isLocked else {
            return (findings + [Finding(.keyring, .fine, "\(name) is open.")], true)
        }
        let advice = "Unlock it in its program, or with: stored-values secret list --unlock --app <id>"
        return (findings + [Finding(.keyring, bad, "\(name) is locked. \(advice)")], false)
    }

    private static func owner(_ process: UInt32?) -> String {
        guard let process else { return "a process with an unknown number" }
        // The process's own name: the path of its file is hidden if it has capabilities, as gnome-keyring's is (proc(5)).
        let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0)
        let name = words?.first.map { String(decoding: $0, as: UTF8.self) }?.parts(separatedBy: "/").last
        return "\(name ?? "a process of another container"), process \(process)"
    }

    /// Whether the keyring answers, and how many secrets of the program it holds.
    private static func answer(_ keyring: any Keyring, _ service: String?) async -> Finding {
        do throws(KeyringError) {
            let count = try await keyring.identifiers(inService: service ?? "stored-values doctor").count
            let secrets = service.map { " and holds \(count) \(count == 1 ? "secret" : "secrets") of \($0)" } ?? ""
            return Finding(.keyring, .fine, "The keyring answers\(secrets).")
        } catch {
            return Finding(.keyring, .problem, error.textForUser)
        }
    }
}
