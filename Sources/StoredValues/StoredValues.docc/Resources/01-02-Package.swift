// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Weather",
    dependencies: [
        .package(name: "swift-stored-values", path: "../swift-stored-values")
    ],
    targets: [
        .executableTarget(
            name: "Weather",
            dependencies: [.product(name: "StoredValues", package: "swift-stored-values")]
        )
    ]
)
