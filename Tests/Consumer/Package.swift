// swift-tools-version: 6.2
import PackageDescription

// What a user's package is to ours. It has modules and types whose names are close at hand, as others will: none of ours
// clashes with them or is seen in their place. Its dependency Telemetry is a library that has settings of its own: that of the article
// "Settings in a library". `.ci/run` builds and runs it.
let package = Package(
    name: "Consumer",
    dependencies: [.package(name: "swift-stored-values", path: "../.."), .package(path: "Telemetry")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                "Files", "Locking", "SecretService", .product(name: "Telemetry", package: "Telemetry"),
                .product(name: "StoredValues", package: "swift-stored-values"),
            ]
        ),
        .target(name: "Files"),
        .target(name: "Locking"),
        .target(name: "SecretService"),
    ]
)
