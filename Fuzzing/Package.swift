// swift-tools-version: 6.2
import PackageDescription

// Built by `Fuzzing/run`, with --sanitize=fuzzer: that instruments the library too, and brings libFuzzer's main.

/// `Fuzzing/run --self-test` plants a bug, to see that it is found.
let plantedBug = Context.environment["FUZZING_PLANTED_BUG"] != nil
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)] + (plantedBug ? [.define("PLANTED_BUG")] : [])

let storedValues = Target.Dependency.product(name: "StoredValues", package: "swift-stored-values")

let package = Package(
    name: "Fuzzing",
    dependencies: [
        .package(name: "swift-stored-values", path: "..", traits: ["EncryptedFile"]),  // the keyring of the desktop is not fuzzed
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    ],
    targets: [
        // ReaderRules and ItemRules are links to the tests' own, which check them on random input.
        .executableTarget(name: "FuzzPreferences", dependencies: [storedValues], swiftSettings: settings),
        .executableTarget(
            name: "FuzzEncryptedFile",
            dependencies: [storedValues, .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings
        ),
    ]
)
