import Dispatch

@testable import StoredValues

extension PreferencesFile {
    /// A handle that shares nothing with others of this process, as another process's would.
    static func ofAnotherProcess(
        _ path: String, operations: any FileOperations = POSIXFileOperations(),
        syncDelay: DispatchTimeInterval = .milliseconds(50)
    ) -> PreferencesFile {
        PreferencesFile(OpenPreferences(.success(DurableFile(path: path, operations: operations)), syncDelay: syncDelay))
    }
}
