import Foundation
import Testing

@Suite("stored-values: completions", .hangLimit)
struct ToolCompletionTests {}

extension ToolCompletionTests {
    @Test("The scripts are sound", arguments: ["bash", "zsh", "fish"])
    func scripts(shell: String) async throws {
        try await withTool { tool in
            let run = try await tool.run("--generate-completion-script", shell)
            #expect(run.status == 0 && run.output.contains("stored-values"))
            let program = try Program.orSkip(shell)
            try tool.write(run.output, to: "\(tool.folder)/script")
            let check = try await FinishedProgram.run(
                [program.path, "-n", "\(tool.folder)/script"], environment: tool.environment, in: tool.folder)
            #expect(check.status == 0 && check.errors == "", "\(check)")
        }
    }

    /// The home of all cases of `bash`, which only read it. Detached, for it belongs to no case.
    private static let home: Task<Tool, any Error> = Task.detached {
        let tool = try Tool(in: "\(ProcessFolder.path)/completions")
        try tool.write(#"{"theme": 1, "zoom": 2}"#)
        try tool.write(#"{"size": 1}"#, to: "\(tool.folder)/.config/demo/work.json")
        try tool.write(#"{"other-key": 1}"#, to: "\(tool.folder)/.config/other/preferences.json")
        try await tool.run("secret", "set", "token", input: "x")
        try tool.write(try await tool.run("--generate-completion-script", "bash").output, to: "\(tool.folder)/script")
        return tool
    }

    @Test(
        "bash completes commands, keys of the file, names of secrets and programs",
        arguments: [
            ("se", ["secret", "set"]), ("get th", ["theme"]), ("get --app other ", ["other-key"]), ("secret get ", ["token"]),
            ("list --app ", ["demo", "other"]),
            ("list --name ", ["work"]), ("get --name work ", ["size"]), ("get --file ~/.config/demo/work.json ", ["size"]),
        ])
    func bash(typed: String, expected: [String]) async throws {
        let tool = try await Self.home.value
        let script = """
            PATH="$(dirname "$TOOL"):$PATH"; source "$HOME/script"
            COMP_LINE="stored-values \(typed)"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=($COMP_LINE)
            [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _stored-values stored-values "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let program = try #require(Program(named: "bash"))
        let run = try await FinishedProgram.run([program.path, "-c", script], environment: tool.environment, in: tool.folder)
        let words = run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for word in expected { #expect(words.contains(word), "\(run)") }
    }

    @Test(
        "In a real shell TAB completes names of all kinds, and none of them runs a command", arguments: ["bash", "zsh", "fish"],
        [
            ("get ", "striped"), ("secret get ", "--show"), ("list --app ", "striped"),
        ])
    func typed(shell: String, command: (words: String, says: String)) async throws {
        let program = try Program.orSkip(shell)
        try await withTool { tool in
            let names = ["zebra", "y`touch $HOME/made`", "x$(touch $HOME/made)", "w;touch $HOME/made;", "v\ntouch", "u${HOME:=$(touch made)}"]
            let members = try names.map { #"\#(String(decoding: try JSONEncoder().encode($0), as: UTF8.self)): "striped""# }
            try tool.write("{\(members.joined(separator: ", "))}")
            for name in names {
                try await tool.run("secret", "set", name, input: "x")
                let folder = "\(tool.folder)/.config/\(name.replacing("/", with: "_"))"
                try tool.write(#"{"a": "striped"}"#, to: "\(folder)/preferences.json")
            }
            let terminal = try await tool.start(program, shell)
            try terminal.type("stored-values \(command.words)ze\t")
            try await terminal.waits(for: "zebra")
            try terminal.type("\r")
            try await terminal.waits(for: command.says)
            #expect(!FileManager.default.fileExists(atPath: "\(tool.folder)/made"), "a name ran a command")
            try terminal.type("exit\r")
            _ = try await terminal.end()
        }
    }

    @Test("A colon is part of a name in every shell", arguments: ["bash", "zsh", "fish"])
    func colon(shell: String) async throws {
        let program = try Program.orSkip(shell)
        try await withTool { tool in
            try tool.write(#"{"org:zebra": "striped"}"#)
            let terminal = try await tool.start(program, shell)
            try terminal.type("stored-values get or\t")
            try await terminal.waits(for: "zebra")
            try terminal.type("\r")
            try await terminal.waits(for: "striped")
            try terminal.type("exit\r")
            _ = try await terminal.end()
        }
    }

    @Test("Only plain words are offered, whichever shell asks", arguments: ["bash", "zsh", "fish"])
    func offered(shell: String) async throws {
        let plain = ["a.b-c_d+1@x/y", "é", "e\u{301}", "名前", "ключ"]
        let marks = "`$()[]{}<>|&;*?!#~=%^'\"\\, \t\n\r\0\u{1B}\u{7F}\u{85}\u{9B}\u{A0}\u{2028}\u{202E}\u{3000}\u{FFFD}".unicodeScalars
        try await withTool { tool in
            let other = marks.flatMap { ["a\($0)b", "\($0)", "a\($0)\u{301}b"] } + ["-x", "--help", ":)"]
            let object = Dictionary((plain + other).map { (Array($0.utf8), $0) }) { first, _ in first }.values
            let members = try object.map { "\(String(decoding: try JSONEncoder().encode($0), as: UTF8.self)): 1" }
            try tool.write("{\(members.joined(separator: ", "))}")
            let run = try await tool.with(["SAP_SHELL": shell]).run("---completion", "get", "--", "positional@0", "2", "0", "stored-values", "get", "")
            let words = run.output.split(separator: "\n").map { Array($0.utf8) }.filter { $0 != Array(" ".utf8) }  // zsh's own mark
            #expect(Set(words) == Set(plain.map { Array($0.utf8) }), "\(run)")
        }
    }
}

extension Tool {
    /// An interactive shell, like a person's, that knows the tool's completions and shows its prompt.
    func start(_ program: Program, _ shell: String) async throws -> PseudoTerminal {
        try write(try await run("--generate-completion-script", shell).output, to: "\(folder)/script")
        try write(#"PATH="$(dirname "$TOOL"):$PATH"; source "$HOME/script"; PS1="rea""dy> ""#, to: "\(folder)/bashrc")
        try write(
            #"path=(${TOOL:h} $path); autoload -Uz compinit; compinit -u -D; source "$HOME/script"; PS1="ready> ""#, to: "\(folder)/.zshrc")
        try write(
            #"""
            set -gx PATH (dirname $TOOL) $PATH
            source $HOME/script
            function fish_prompt; echo -n "ready> "; end
            """#, to: "\(folder)/.config/fish/config.fish")
        // Without a folder of completions from manual pages fish makes them all, in the background, which takes a whole processor
        // half a minute. Newer versions have it in the second place.
        for place in [".local/share", ".cache"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(place)/fish/generated_completions", withIntermediateDirectories: true)
        }
        let options = shell == "bash" ? ["--noprofile", "--rcfile", "\(folder)/bashrc"] : []
        // In a session of its own, or it would have no terminal to take its keys from.
        let session = try Program.orSkip("setsid")
        let terminal = try PseudoTerminal(
            [session.path, "--ctty", "--wait", program.path] + options + ["-i"],
            environment: environment.merging(["ZDOTDIR": folder]) { $1 }, columns: 120)
        try await terminal.waits(for: "ready> ")
        return terminal
    }
}
