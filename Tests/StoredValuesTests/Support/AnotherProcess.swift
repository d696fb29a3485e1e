@testable import StoredValues

extension PreferencesFile {
    /// A handle that shares nothing with others of this process, as another process's would.
    static func ofAnotherProcess(
        _ path: String, operations: any FileOperations = POSIXFileOperations()
    ) -> PreferencesFile {
        PreferencesFile(OpenPreferences(.success(DurableFile(path: path, operations: operations))))
    }
}
