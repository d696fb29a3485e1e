#if Configuration
    import Configuration

    extension ConfigProvider {
        /// What `watchValue` yields, in words, as a sequence that a test collects.
        func watched(_ key: AbsoluteConfigKey, _ type: ConfigType) -> AsyncStream<String> {
            AsyncStream { continuation in
                let task = Task {
                    try await watchValue(forKey: key, type: type) { updates in
                        for await update in updates { continuation.yield(update.words) }
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        /// The values of "a", "b" and "token" in each snapshot that `watchSnapshot` yields.
        var watchedSnapshots: AsyncStream<String> {
            AsyncStream { continuation in
                let task = Task {
                    try await watchSnapshot { updates in
                        for await snapshot in updates {
                            let values = [("a", ConfigType.int), ("b", .int), ("token", .string)].map { key, type in
                                Result { try snapshot.value(forKey: AbsoluteConfigKey(ConfigKey(key)), type: type) }.words
                            }
                            continuation.yield(values.joined(separator: ", "))
                        }
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }

    extension Result<LookupResult, any Error> {
        /// The value, unless it is a secret, or why there is none.
        fileprivate var words: String {
            switch self {
            case .success(let result):
                guard let value = result.value else { return "no value" }
                return value.isSecret ? "secret" : "\(value.content)"
            case .failure(let error): return "\(error)"
            }
        }
    }
#endif
