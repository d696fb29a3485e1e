// swift-tools-version: 6.2
import PackageDescription

// Built by `Fuzzing/run`, with --sanitize=fuzzer: that instruments the library too, and brings libFuzzer's main.

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]
let storedValues = Target.Dependency.product(name: "StoredValues", package: "swift-stored-values")

let package = Package(
    name: "Fuzzing",
    dependencies: [
        // The keyring of the desktop is not fuzzed.
        .package(name: "swift-stored-values", path: "..", traits: ["EncryptedFile", "Store"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // ReaderRules, ItemRules and StoreRowRules are links to the tests' own, which check them on random input.
        .executableTarget(name: "FuzzPreferences", dependencies: [storedValues], swiftSettings: settings),
        .executableTarget(name: "FuzzEncryptedFile", dependencies: [storedValues], swiftSettings: settings),
        .executableTarget(
            name: "FuzzRows",
            dependencies: [
                storedValues, .product(name: "StoredValuesStore", package: "swift-stored-values"), .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings + [.define("Store")]
        ),
    ]
)
