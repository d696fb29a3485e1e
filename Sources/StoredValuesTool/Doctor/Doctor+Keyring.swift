import FoundationEssentials
import StoredValues
import StoredValuesSupport
import StoredValuesToolSupport

extension Doctor {
    /// Checks the session bus, the Secret Service and the keyring that programs use.
    mutating func checkKeyring(service: String?) async {
        section = "Secrets"
        let choice = SystemKeyring.selection
        let isDesktop = choice.keyring is SecretServiceKeyring
        add(.fine, "Programs use \(choice.keyring). \(choice.reason)")
        let isRunning = await checkDesktop(isNeeded: isDesktop, service)
        // Asking the desktop's keyring would start it.
        guard !isDesktop || isRunning else { return }
        do throws(KeyringError) {
            let count = try await choice.keyring.identifiers(inService: service ?? "stored-values doctor").count
            let secrets = service.map { " and holds \(count.counted("secret")) of \($0)" } ?? ""
            add(.fine, "The keyring answers\(secrets).")
        } catch {
            add(.problem, error.description)
        }
    }

    /// Checks the desktop's keyring; a missing part is a problem only if it `isNeeded`. Returns whether it runs.
    private mutating func checkDesktop(isNeeded: Bool, _ service: String?) async -> Bool {
        let bad: Kind = isNeeded ? .problem : .note
        let found: SecretServiceInspection
        do throws(KeyringError) { found = try await SecretServiceKeyring().inspect() } catch {
            add(bad, error == .notBuiltIn ? "This tool was built without the desktop's keyring." : error.description)
            return false
        }
        add(.fine, "The session bus is \(found.bus).")
        guard found.isRunning else {
            let starts = "No program provides the Secret Service now; the bus starts one when it is first needed."
            add(found.canBeStarted ? .note : bad, found.canBeStarted ? starts : KeyringError.noSecretService.description)
            return false
        }
        add(.fine, "The Secret Service is provided by \(Self.owner(found.process)).")
        if found.isPlain == true {
            let advice = "any program that may listen on the session bus can read them. Update it, or use another program"
            add(.note, "It does not encrypt secrets in transit: \(advice).")
        }
        if let collection = found.collection {
            let advice = "is locked. Unlock it in its program, or with: stored-values secret list --unlock --keyring secret-service\(SettingsOptions.option("app", service ?? "<id>", "id"))"
            add(found.isLocked ? bad : .fine, "The default collection, \"\(collection)\", \(found.isLocked ? advice : "is open.")")
        } else {
            add(bad, KeyringError.noDefaultCollection.description)
        }
        return true
    }

    private static func owner(_ process: UInt32?) -> String {
        guard let process else { return "a process with an unknown number" }
        // The process's own name: the path of its file is hidden if it has capabilities, as gnome-keyring's is (proc(5)).
        let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0)
        let name = words?.first.map { String(decoding: $0, as: UTF8.self) }?.parts(separatedBy: "/").last
        return "\(name ?? "a process of another container"), process \(process)"
    }
}
