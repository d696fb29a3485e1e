// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]
let storedValues: Target.Dependency = .product(name: "StoredValues", package: "swift-stored-values")

let package = Package(
    name: "SettingsWindow",
    dependencies: [.package(name: "swift-stored-values", path: "../..")],
    targets: [
        .systemLibrary(name: "CAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        .executableTarget(name: "SettingsWindow", dependencies: ["CAdwaita", storedValues], swiftSettings: settings),
        // It starts the program with a screen, a home and a keyring of their own, and uses it as a person would.
        .testTarget(name: "SettingsWindowTests", dependencies: ["SettingsWindow", storedValues], swiftSettings: settings),
    ]
)
