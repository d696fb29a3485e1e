// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Examples",
    traits: [
        .default(enabledTraits: ["Libsecret"]),
        .trait(name: "Libsecret", description: "Passed on: the desktop's keyring, through libsecret."),
    ],
    dependencies: [
        .package(
            name: "swift-stored-values", path: "..",
            traits: [.trait(name: "Libsecret", condition: .when(traits: ["Libsecret"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "QuickStart",
            dependencies: [
                .product(name: "StoredValues", package: "swift-stored-values"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
