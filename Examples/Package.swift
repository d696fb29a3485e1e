// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let storedValues: Target.Dependency = .product(name: "StoredValues", package: "swift-stored-values")
let storedValuesStore: Target.Dependency = .product(name: "StoredValuesStore", package: "swift-stored-values")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let serviceLifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let flyingFox: Target.Dependency = .product(name: "FlyingFox", package: "FlyingFox")

let package = Package(
    name: "Examples",
    traits: [
        .default(enabledTraits: ["EncryptedFile", "Libsecret", "Store"]),
        .trait(name: "EncryptedFile", description: "Passed on: a keyring in an encrypted file, through libsodium."),
        .trait(name: "Libsecret", description: "Passed on: the desktop's keyring, through libsecret."),
        .trait(name: "Store", description: "Passed on: collections of items, in SQLite. Notebook needs it."),
    ],
    dependencies: [
        .package(
            name: "swift-stored-values", path: "..",
            traits: [
                .trait(name: "EncryptedFile", condition: .when(traits: ["EncryptedFile"])),
                .trait(name: "Libsecret", condition: .when(traits: ["Libsecret"])),
                .trait(name: "Store", condition: .when(traits: ["Store"])),
            ]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
    ],
    targets: [
        .executableTarget(name: "QuickStart", dependencies: [storedValues, argumentParser], swiftSettings: settings),

        // A REST client as a library, the program on top of it, and a server to try both with.
        .target(name: "FriendsService", dependencies: [storedValues], swiftSettings: settings),
        .executableTarget(
            name: "Friends", dependencies: ["FriendsService", storedValues, argumentParser], swiftSettings: settings),
        .executableTarget(
            name: "FriendsServer", dependencies: ["FriendsService", flyingFox], swiftSettings: settings),
        .testTarget(
            name: "FriendsServiceTests",
            dependencies: ["ExampleProcess", "Friends", "FriendsServer", "FriendsService", storedValues, flyingFox],
            swiftSettings: settings),

        .executableTarget(
            name: "ConfigWatcher", dependencies: [storedValues, logging, serviceLifecycle], swiftSettings: settings),
        .testTarget(
            name: "ConfigWatcherTests", dependencies: ["ConfigWatcher", "ExampleProcess", storedValues],
            swiftSettings: settings),

        .executableTarget(name: "Migration", dependencies: [storedValues], swiftSettings: settings),
        .testTarget(
            name: "MigrationTests", dependencies: ["ExampleProcess", "Migration", storedValues], swiftSettings: settings),

        .executableTarget(name: "Notebook", dependencies: [storedValues, storedValuesStore, argumentParser], swiftSettings: settings),
        .testTarget(name: "NotebookTests", dependencies: ["ExampleProcess", "Notebook"], swiftSettings: settings),

        // What the tests share: an example run as a process.
        .target(name: "ExampleProcess", path: "Tests/ExampleProcess", swiftSettings: settings),
    ]
)
