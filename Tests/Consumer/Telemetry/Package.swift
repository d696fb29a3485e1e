// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Telemetry",
    products: [.library(name: "Telemetry", targets: ["Telemetry"])],
    dependencies: [.package(name: "swift-stored-values", path: "../../..", traits: [])],
    targets: [.target(name: "Telemetry", dependencies: [.product(name: "StoredValues", package: "swift-stored-values")])]
)
