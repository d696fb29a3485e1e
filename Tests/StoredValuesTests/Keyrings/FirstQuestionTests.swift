import Foundation
import StoredValues
import StoredValuesSecretService
import Testing

/// What gnome-keyring answers wrongly while it does not yet know who asks, seen in one of 2,000 connections.
@Suite(
    "The first question of a connection", .hangLimit,
    .enabled(if: PrivateDesktop.isAvailable, "\(PrivateDesktop.skipReason)"),
    .enabled(if: Python.isAvailable, "\(Python.skipReason)"))
struct FirstQuestionTests {
    private let desktops = PrivateDesktops()
}

extension FirstQuestionTests {
    /// What a process may ask first.
    enum Question: String, CaseIterable {
        case read, remove, identifiers, unlock, inspection
    }

    @Test(
        "It is asked again where the answer is that of a service that does not know the caller yet",
        arguments: Question.allCases)
    func unknownCaller(_ question: Question) async throws {
        let desktop = try await desktops.start(.withoutService)
        let service = try await PrivateDesktop.program("sh").start(
            ["-c", "exec \(Python.command("forgetful_service.py"))"], environment: desktop.environment, errors: .standardError)
        try desktop.watch(service)
        try await eventually("the service is on the bus") {
            try await desktop.busCall("NameHasOwner", "org.freedesktop.secrets")?.contains("true") == true
        }
        let keyring = desktop.keyring()
        let id = SecretIdentifier(service: "com.example.app", account: "authToken")
        switch question {
        case .read: #expect(try await keyring.read(id) == nil)
        case .remove: try await keyring.remove(id)
        case .identifiers: #expect(try await keyring.identifiers(inService: id.service) == [])
        case .unlock: try await keyring.unlock()
        case .inspection:
            let found = try await ItemStore(bus: .init(desktop.address), deadline: hangLimit).inspect()
            #expect(found.collection == "Login" && !found.isLocked)
        }
    }
}
