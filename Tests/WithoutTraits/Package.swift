// swift-tools-version: 6.2
import PackageDescription

// The tests of what a program sees that takes the library without its traits: neither libsecret nor libsodium is there. All else is the
// same code, which StoredValuesTests tests. `.ci/run` builds and runs it.
let package = Package(
    name: "WithoutTraits",
    dependencies: [.package(name: "swift-stored-values", path: "../..", traits: [])],
    targets: [
        .testTarget(
            name: "WithoutTraitsTests",
            dependencies: [
                .product(name: "StoredValues", package: "swift-stored-values"),
                .product(name: "StoredValuesTesting", package: "swift-stored-values"),
                .product(name: "stored-values", package: "swift-stored-values"),
            ]
        )
    ]
)
