// swift-tools-version: 6.2
import PackageDescription

// Built and started by `Benchmarks/run`. StartStoredValue is built twice, with the traits and without them.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]

let storedValues = Target.Dependency.product(name: "StoredValues", package: "swift-stored-values")

/// Left out of what is built without the traits.
let withFleet: TargetDependencyCondition? = .when(traits: ["Fleet"])
let withStore: TargetDependencyCondition? = .when(traits: ["Store"])

let package = Package(
    name: "Benchmarks",
    traits: [
        .default(enabledTraits: ["EncryptedFile", "Fleet", "Libsecret", "Store"]),
        .trait(name: "EncryptedFile", description: "Passed on: a keyring in an encrypted file, through libsodium."),
        .trait(name: "Fleet", description: "Passed on: settings of many machines, on etcd."),
        .trait(name: "Libsecret", description: "Passed on: the desktop's keyring, through libsecret."),
        .trait(name: "Store", description: "Passed on: collections of items, in SQLite."),
    ],
    dependencies: [
        .package(
            name: "swift-stored-values", path: "..",
            traits: [
                .trait(name: "EncryptedFile", condition: .when(traits: ["EncryptedFile"])),
                .trait(name: "Fleet", condition: .when(traits: ["Fleet"])),
                .trait(name: "Libsecret", condition: .when(traits: ["Libsecret"])),
                .trait(name: "Store", condition: .when(traits: ["Store"])),
            ]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                storedValues, "LibsecretPeer", "CAttributes", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "StoredValuesFleet", package: "swift-stored-values", condition: withFleet),
                .product(name: "StoredValuesStore", package: "swift-stored-values", condition: withStore),
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: withFleet),
                .product(name: "NIOCore", package: "swift-nio", condition: withFleet),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: withFleet),
            ],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CAttributes"),
        // libsecret's own calls, from C: what a program in C would do.
        .target(name: "LibsecretPeer", dependencies: ["LibsecretHeaders"]),
        .systemLibrary(name: "LibsecretHeaders", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        // Programs that are timed from their start to their exit.
        .executableTarget(name: "StartEmpty", swiftSettings: settings),
        .executableTarget(name: "StartFoundationEssentials", swiftSettings: settings),
        .executableTarget(name: "StartLibsecret", dependencies: ["LibsecretHeaders"], swiftSettings: settings),
        .executableTarget(name: "StartStoredValue", dependencies: [storedValues], swiftSettings: settings),
        .executableTarget(name: "StartUserDefaults", swiftSettings: settings),
    ]
)
