// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409: no public signature can mention C
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]

/// The code that talks to libsecret exists only with this trait; without it nothing links GLib.
let withLibsecret: TargetDependencyCondition? = .when(traits: ["Libsecret"])

/// The encrypted file exists only with this trait; without it nothing links libsodium.
let withEncryptedFile: TargetDependencyCondition? = .when(traits: ["EncryptedFile"])

/// The provider for swift-configuration is built only with this trait; nobody else downloads or builds that package.
let withConfiguration: TargetDependencyCondition? = .when(traits: ["Configuration"])

/// The fleet's settings, and with them the network, exist only with this trait; nobody else downloads or builds an HTTP client.
let withFleet: TargetDependencyCondition? = .when(traits: ["Fleet"])

/// Collections of items, and with them SQLite, exist only with this trait; nobody else downloads or builds GRDB.
let withStore: TargetDependencyCondition? = .when(traits: ["Store"])

let package = Package(
    name: "swift-stored-values",
    products: [
        .library(name: "StoredValues", targets: ["StoredValues"]),
        .library(name: "StoredValuesConfiguration", targets: ["StoredValuesConfiguration"]),
        .library(name: "StoredValuesFleet", targets: ["StoredValuesFleet"]),
        .library(name: "StoredValuesStore", targets: ["StoredValuesStore"]),
        .library(name: "StoredValuesTesting", targets: ["StoredValuesTesting"]),
        .executable(name: "stored-values", targets: ["StoredValuesTool"]),
        .executable(name: "stored-values-fleet", targets: ["StoredValuesFleetTool"]),
    ],
    traits: [
        .default(enabledTraits: ["EncryptedFile", "Libsecret"]),
        .trait(name: "EncryptedFile", description: "A keyring in an encrypted file, through libsodium."),
        .trait(name: "Libsecret", description: "The desktop's keyring, through libsecret."),
        .trait(name: "Configuration", description: "A provider for swift-configuration: the product StoredValuesConfiguration."),
        .trait(
            name: "Fleet", description: "Settings and secrets of many machines, on etcd: the products StoredValuesFleet and stored-values-fleet.",
            enabledTraits: ["EncryptedFile"]  // the secrets are such a file
        ),
        .trait(name: "Store", description: "Collections of items, in SQLite through GRDB: the product StoredValuesStore."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CStoredValues"),
        // What the library is made of. Their names begin with the package's, for in one graph no two packages may have a module
        // of one name; what they export is for this package alone.
        .target(name: "StoredValuesSupport", dependencies: ["CStoredValues"], swiftSettings: settings),
        .target(name: "StoredValuesFiles", dependencies: ["CStoredValues", "StoredValuesSupport"], swiftSettings: settings),
        .target(
            name: "StoredValuesSecretService",
            dependencies: ["StoredValuesSupport", .target(name: "CSecret", condition: withLibsecret)],
            swiftSettings: settings
        ),
        .target(
            name: "StoredValues",
            dependencies: [
                "StoredValuesFiles", "StoredValuesSupport",
                .target(name: "CSodium", condition: withEncryptedFile),
                .target(name: "StoredValuesSecretService", condition: withLibsecret),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        // Empty without its trait.
        .target(
            name: "StoredValuesConfiguration",
            dependencies: [
                "StoredValues", "StoredValuesSupport",
                .product(name: "Configuration", package: "swift-configuration", condition: withConfiguration),
            ],
            swiftSettings: settings
        ),
        // Empty without its trait.
        .target(
            name: "StoredValuesFleet",
            dependencies: [
                "StoredValues", "StoredValuesFiles", "StoredValuesSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: withFleet),
                .product(name: "NIOCore", package: "swift-nio", condition: withFleet),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: withFleet),
                .product(name: "NIOPosix", package: "swift-nio", condition: withFleet),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: withFleet),
            ],
            swiftSettings: settings
        ),
        // Empty without its trait.
        .target(
            name: "StoredValuesStore",
            dependencies: [
                "CStoredValues", "StoredValues", "StoredValuesFiles", "StoredValuesSupport",
                .product(name: "GRDB", package: "GRDB.swift", condition: withStore),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings
        ),
        // For tests of users' packages. It imports Swift Testing, so nothing else depends on it.
        .target(name: "StoredValuesTesting", dependencies: ["StoredValues", "StoredValuesSupport"], swiftSettings: settings),
        // The command line tools. Nothing depends on them, so that nobody who uses the library links an argument parser.
        .target(
            name: "StoredValuesToolSupport",
            dependencies: [
                "StoredValues", "StoredValuesSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StoredValuesTool",
            dependencies: [
                "StoredValues", "StoredValuesFiles", "StoredValuesSupport", "StoredValuesToolSupport",
                .target(name: "StoredValuesStore", condition: withStore),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StoredValuesFleetTool",
            dependencies: [
                "StoredValues", "StoredValuesFleet", "StoredValuesSupport", "StoredValuesToolSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // Started by tests as the other process; it links what a user's program links.
        .executableTarget(
            name: "TestProcess",
            dependencies: [
                "StoredValues", "StoredValuesSupport", .target(name: "StoredValuesFleet", condition: withFleet),
                .target(name: "StoredValuesStore", condition: withStore), .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/TestProcess",
            swiftSettings: settings
        ),
        // Started by tests as a program that comes from UserDefaults, which it links Foundation for.
        .executableTarget(
            name: "UserDefaultsProgram",
            dependencies: ["StoredValues"],
            path: "Tests/UserDefaultsProgram",
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoredValuesTests",
            dependencies: [
                "StoredValues", "StoredValuesFiles", "StoredValuesSupport", "StoredValuesTesting", "StoredValuesToolSupport", "TestProcess",
                .target(name: "StoredValuesSecretService", condition: withLibsecret),
                .product(name: "Logging", package: "swift-log"),
                .target(name: "StoredValuesConfiguration", condition: withConfiguration),
                .target(name: "StoredValuesFleet", condition: withFleet),
                .target(name: "StoredValuesStore", condition: withStore),
                .product(name: "Configuration", package: "swift-configuration", condition: withConfiguration),
                .product(name: "ConfigurationTesting", package: "swift-configuration", condition: withConfiguration),
                .product(name: "GRDB", package: "GRDB.swift", condition: withStore),
            ],
            swiftSettings: settings
        ),
    ]
)
