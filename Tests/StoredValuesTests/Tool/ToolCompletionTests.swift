import Foundation
import Testing

@Suite("stored-values: completions", .hangLimit)
struct ToolCompletionTests {
    @Test("The scripts are sound", arguments: ["bash", "zsh", "fish"])
    func scripts(shell: String) async throws {
        try await withTool { tool in
            let run = try await tool.run("--generate-completion-script", shell)
            #expect(run.status == 0 && run.output.contains("stored-values"))
            guard let program = Program(named: shell) else { return }
            try tool.write(run.output, to: "\(tool.folder)/script")
            let check = try await FinishedProgram.run(
                [program.path, "-n", "\(tool.folder)/script"], environment: tool.environment, in: tool.folder)
            #expect(check.status == 0 && check.errors == "", "\(check)")
        }
    }

    @Test("bash completes commands, keys of the file, names of secrets and programs", arguments: [
        ("se", ["secret", "set"]), ("get th", ["theme"]), ("get --app other ", ["other-key"]), ("secret get ", ["token"]),
        ("list --app ", ["demo", "other"]),
    ])
    func bash(typed: String, expected: [String]) async throws {
        try await withTool { tool in
            try tool.write(#"{"theme": 1, "zoom": 2}"#)
            try tool.write(#"{"other-key": 1}"#, to: "\(tool.folder)/.config/other/preferences.json")
            try await tool.run("secret", "set", "token", input: "x")
            try tool.write(try await tool.run("--generate-completion-script", "bash").output, to: "\(tool.folder)/script")
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
    }
}
