import Foundation
import Testing

/// A part of the token in the tests.
let secretMark = "unspeakable7d1f"

/// The program on a desktop: what its window shows, and a mouse and a keyboard to use it with.
final class Window {
    /// What it shows, by `--trace`.
    struct Frame: Decodable {
        struct Row: Decodable {
            let text: String
            let subtitle: String
            let error: String?
            let control: [Int]?
            let reset: [Int]?
        }
        struct Token: Decodable {
            let subtitle: String
            let unlock: [Int]?
        }
        let rows: [String: Row]
        let token: Token
        let undo: [Int]?
    }

    private let desktop: Desktop
    private let process: Process
    private var frames: AsyncStream<String>.Iterator
    private(set) var frame: Frame?
    private lazy var number = Result { try xdotool("search", "--sync", "--onlyvisible", "--name", "^Settings$").split(separator: "\n")[0] }

    init(on desktop: Desktop, _ environment: [String: String] = [:], launcher: [String] = []) throws {
        self.desktop = desktop
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("SettingsWindow").path
        let output = Pipe.forOneChild()
        process = try start(launcher + [program, "--trace"], desktop.environment.merging(environment) { _, new in new }, output: output)
        frames = lines(of: output).makeAsyncIterator()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits until the window shows this.
    func shows(_ what: String, _ isShown: (Frame) -> Bool) async throws {
        if let frame, isShown(frame) { return }
        while let line = await frames.next() {
            #expect(!line.contains(secretMark))
            let frame = try JSONDecoder().decode(Frame.self, from: Data(line.utf8))
            self.frame = frame
            if isShown(frame) { return }
        }
        throw ProgramFailed(description: "the window never showed \(what); at last \(frame as Any)")
    }

    /// Waits until a row shows this value.
    func shows(_ key: String, _ text: String, _ source: String) async throws {
        try await shows("\(key): \(text), \(source)") { frame in
            frame.rows[key].map { $0.text == text && $0.subtitle.hasSuffix("\n\(source)") } == true
        }
    }

    // MARK: Mouse and keyboard

    func click(_ place: [Int]?) throws {
        let place = try #require(place, "there is nothing to click at")
        try xdotool("windowfocus", number.get())
        try xdotool("mousemove", "--window", number.get(), place[0], place[1], "click", 1)
    }

    /// Replaces what is in a control that a text can be typed in.
    func type(_ text: String, into key: String, thenPress last: String = "Return") throws {
        try click(frame?.rows[key]?.control)
        try press("ctrl+a", "BackSpace")
        try xdotool("type", text)
        try press(last)
    }

    func press(_ keys: String...) throws { for key in keys { try xdotool("key", key) } }

    @discardableResult
    private func xdotool(_ arguments: Any...) throws -> String { try run(["xdotool"] + arguments.map { "\($0)" }, desktop.environment) }

    /// How many colours a picture of the window has, which is then at `path`.
    func takePicture(_ path: String) throws -> Int {
        try run(["import", "-window", "\(number.get())", path], desktop.environment)
        return try Int(run(["identify", "-format", "%k", path], desktop.environment)) ?? 0
    }

    /// Closes the window as its user does, and returns the program's exit status.
    func close() async throws -> Int32 {
        try press("ctrl+w")
        return await end()
    }

    /// Waits for the program's end.
    func end() async -> Int32 {
        while await frames.next() != nil {}
        process.waitUntilExit()
        return process.terminationStatus
    }
}
