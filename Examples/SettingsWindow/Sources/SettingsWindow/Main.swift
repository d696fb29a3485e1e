import CAdwaita
import Glibc
import StoredValues

/// A window for the settings of a program. What it shows comes from the keys, and changes when anybody changes the file.
///
/// `--trace` prints what is shown and where, for its test.
@main
@MainActor
enum SettingsProgram {
    static let applicationID = "com.example.SettingsWindow"
    private static var window: SettingsWindow?

    // Not asynchronous: then this thread would serve the main actor, and not GLib.
    static func main() {
        StorageSystem.bootstrap(applicationID: applicationID, environmentPrefix: "WINDOW_")
        Task.detached { PreferencesFile.standard.publishSchema(of: Settings.all) }  // writes, and no window need wait for that
        MainLoop.servesMainActor()

        let application = adw_application_new(applicationID, G_APPLICATION_DEFAULT_FLAGS)!
        connect(application, "activate") {
            // A second start activates the first one's window.
            if window == nil { window = SettingsWindow(application, isTraced: CommandLine.arguments.contains("--trace")) }
            window?.present()
        }
        connect(application, "startup") {
            application.withMemoryRebound(to: GtkApplication.self, capacity: 1) { application in
                // For C, a list of shortcuts ends with a null pointer.
                "<Control>w".withCString { gtk_application_set_accels_for_action(application, "window.close", [$0, nil]) }
            }
        }
        let status = UnsafeMutableRawPointer(application).withMemoryRebound(to: GApplication.self, capacity: 1) { g_application_run($0, 0, nil) }
        g_object_unref(application)
        exit(status)
    }
}
