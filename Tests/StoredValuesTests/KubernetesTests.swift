import Foundation
import Logging
import StoredValues
import Testing

@Suite("Kubernetes", .hangLimit)
struct KubernetesTests {}

extension KubernetesTests {
    @Test("A ConfigMap in XDG_CONFIG_DIRS, made late, changed, emptied and broken: the program continues and detects each change")
    func configMap() async throws {
        try await withTemporaryFolder { folder in
            _ = await #expect(processExitsWith: .success) { [folder = folder as String] in
                LoggingSystem.bootstrap { _ in RecordingLogHandler() }
                // As in a container: the user has no home, so that there is nothing but the ConfigMap.
                for variable in ["HOME", "XDG_CONFIG_HOME", "STORED_VALUES_PREFERENCES"] { unsetenv(variable) }
                setenv("XDG_CONFIG_DIRS", folder + "/config", 1)
                StorageSystem.bootstrap(applicationID: "com.example.Worker")
                let volume = try KubernetesVolume(folder + "/config/com.example.Worker")
                func update(_ limit: String) throws { try volume.update(["preferences.json": #"{"limit": \#(limit)}"#]) }

                let limit = StoredValue(key: "limit", default: 60)
                var limits = limit.values.makeAsyncIterator()
                #expect(await limits.next(isolation: nil) == 60)
                for number in 1...20 {
                    try update("\(number)")
                    #expect(await limits.next(isolation: nil) == number)
                    #expect(limit.wrappedValue == number && !limit.isStored)
                }
                try volume.update(["unrelated.txt": "x"])
                #expect(await limits.next(isolation: nil) == 60)
                try update("21")
                #expect(await limits.next(isolation: nil) == 21)
                try update("")  // no JSON: the last good values stay
                try await eventually("it says so") {
                    RecordingLogHandler.takeLines().contains { $0.contains("Could not read") && $0.contains(volume.path) }
                }
                #expect(limit.wrappedValue == 21)
                try update("22")
                #expect(await limits.next(isolation: nil) == 22)

                var last = 99
                for number in 100...150 { try update("\(number)") }
                while last < 150 {
                    let next = try #require(await limits.next(isolation: nil))
                    #expect(next > last, "nothing comes twice, and nothing old")
                    last = next
                }
                #expect(limit.wrappedValue == 150)
            }
        }
    }

    @Test("A Secret through .credentials(at:), rotated and removed: the program continues and detects each change")
    func secret() async throws {
        try await withTemporaryFolder { folder in
            let volume = try KubernetesVolume(folder + "/secrets")
            let token = SecurelyStoredValue<String>(key: "token", service: "worker", keyring: .credentials(at: volume.path))
            var tokens = token.values.makeAsyncIterator()
            #expect(await tokens.next(isolation: nil) == .some(nil))
            for number in 1...20 {
                try volume.update(["token": "\(number)", "other": "same"])
                #expect(await tokens.next(isolation: nil) == "\(number)")
                #expect(token.wrappedValue == "\(number)")
            }
            try volume.update(["other": "same"])
            #expect(await tokens.next(isolation: nil) == .some(nil))
            #expect(token.status == .absent)
            try volume.update(["token": "21", "other": "same"])
            #expect(await tokens.next(isolation: nil) == "21")

            for number in 100...150 { try volume.update(["token": "\(number)"]) }
            var last = 99
            while last < 150 {
                let next = try #require(await tokens.next(isolation: nil))
                let number = try #require(next.flatMap { Int($0) }, "at no moment was there none")
                #expect(number > last, "nothing comes twice, and nothing old")
                last = number
            }
            #expect(try await token.load() == "150")
        }
    }
}
