import StoredValuesSupport

@testable import StoredValues
@testable import StoredValuesFiles

extension PreferencesFile {
    /// A handle that shares nothing with others of this process, as another process's would. What fails is not tried again by
    /// itself, for most tests decide when.
    static func ofAnotherProcess(
        _ path: String, operations: FileOperations = .posix,
        syncDelay: Duration = .milliseconds(50), sizeLimit: Int = DurableFile.sizeLimit,
        retryPause: Duration? = nil, patience: Duration = RefreshSchedule.patience,
        lockTimeout: Duration = DurableFile.lockTimeout
    ) -> PreferencesFile {
        let file = DurableFile(path: path, operations: operations)
        return PreferencesFile(
            PreferencesStore(
                .success(file), path: file.place, syncDelay: syncDelay, sizeLimit: sizeLimit,
                retries: retryPause.map(RetryThread.init(firstPause:)), patience: patience, lockTimeout: lockTimeout,
                queues: StoreQueues()))
    }
}
