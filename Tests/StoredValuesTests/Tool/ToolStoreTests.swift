#if Store
    import Foundation
    import StoredValues
    import StoredValuesStore
    import Testing

    @Suite("stored-values store", .hangLimit)
    struct ToolStoreTests {}

    extension ToolStoreTests {
        private struct Note: Codable, Identifiable, Sendable, Equatable {
            var id: String
            var text = ""
        }

        private static let lines = """
            {"store": "notes", "id": "b", "version": 0, "json": {"id": "b", "text": "Text of b"}}
            {"store": "notes", "id": "z", "version": 0, "json": {"id": "z", "text": "Text of z"}}
            {"store": "notes", "id": "a", "version": 0, "json": {"id": "a", "text": "Text of a"}}
            {"store": "pages", "id": 1, "version": 2, "json": {"id": 1}}

            """

        /// Runs `body` with the tool and the path of the program's file, which holds the notes b, z and a and the page 1. No process uses it.
        private func withStore(_ lines: String = lines, _ body: (Tool, String) async throws -> Void) async throws {
            try await withTool { tool in
                #expect(try await tool.run("store", "import", input: lines).status == 0)
                try await body(tool, "\(tool.folder)/.local/share/demo/store.sqlite")
            }
        }

        /// What `sql` gives in that file, by SQLite as another program uses it.
        @discardableResult
        private func sqlite(_ path: String, _ sql: String, thenKilled: Bool = false) async throws -> FinishedProgram {
            let script = """
                import os, signal, sqlite3, sys
                database = sqlite3.connect(sys.argv[1], isolation_level=None)
                for statement in sys.argv[2].split(";"): print(database.execute(statement).fetchall())
                if \(thenKilled ? "True" : "False"): os.kill(os.getpid(), signal.SIGKILL)
                """
            let python = try Program.orSkip("python3").path
            return try await FinishedProgram.run(
                [python, "-c", script, path, sql], environment: ProcessInfo.processInfo.environment, in: NSTemporaryDirectory())
        }

        // MARK: Reading

        @Test("list counts the items of each store, and items prints them in the order of insertion")
        func reading() async throws {
            try await withStore { tool, path in
                try await sqlite(path, "UPDATE items SET json = '{oops' WHERE id = '\"z\"'; INSERT INTO items (store, id, json) VALUES ('notes', '\"c\"', '{\"id\": \"c\",\n\t\"text\": \"\u{2028}\"}')")
                #expect(try await tool.run("store", "list").output == "notes\t3\t1\npages\t1\t0\n")
                let list = try #require(JSONValue(text: try await tool.run("store", "list", "--json").output))
                #expect(list == [["store": "notes", "items": 3, "unreadable": 1], ["store": "pages", "items": 1, "unreadable": 0]])
                let items = try await tool.run("store", "items", "notes")
                #expect(items.output == #"{"id": "b", "text": "Text of b"}\#n{"id": "a", "text": "Text of a"}\#n{"id": "c",  "text": "\u2028"}\#n"#)
                #expect(items.status == 65 && items.errors.contains("The row with the id \"z\" of \"notes\" is not JSON, and left out."), "\(items)")
                #expect(try await tool.run("store", "items", "pages", "--file", path).output == "{\"id\": 1}\n")
                let missing = try await tool.run("store", "items", "note")
                #expect(missing.status == 1 && missing.errors.contains("There are no items of \"note\" in \"\(path)\"."), "\(missing)")
            }
        }

        @Test("A named file and a path are read, and a name that no file can have is refused")
        func files() async throws {
            try await withTool { tool in
                let path = "\(tool.folder)/.local/share/demo/ada.sqlite"
                let run = try await tool.run("store", "import", "--name", "ada", input: #"{"store": "notes", "id": 1, "json": {}}"#)
                #expect(run.status == 0, "\(run)")
                #expect(try await tool.run("store", "list", "--name", "ada").output == "notes\t1\t0\n")
                #expect(try await tool.run("store", "list", "--file", path).output == "notes\t1\t0\n")
                for name in ["a/b", ""] { #expect(try await tool.run("store", "list", "--name", name).status == 64) }
                #expect(try await tool.run("store", "list", "--name", "ada", "--file", path).status == 64)
                #expect(try await tool.run("store", "list", "--app", "demo", "--file", path).status == 64)
            }
        }

        @Test("The names of stores complete, also those of a path in the home folder as it is typed")
        func completion() async throws {
            try await withStore { tool, path in
                let shell = tool.with(["SAP_SHELL": "bash"])  // as a completion script sets it
                for words in [[], ["--file", path], ["--file", "~/.local/share/demo/store.sqlite"]] {
                    let typed = ["stored-values", "store", "items"] + words + [""]
                    let run = try await shell.run(["---completion", "store", "items", "--", "positional@0", "\(typed.count - 1)", "0"] + typed)
                    #expect(run.output.split(whereSeparator: \.isNewline) == ["notes", "pages"], "\(run)")
                }
            }
        }

        @Test("Nothing is created by reading", arguments: [["list"], ["items", "notes"], ["export"], ["check"], ["import"]])
        func missing(command: [String]) async throws {
            try await withTool { tool in
                let run = try await tool.run(["store"] + command)
                let isImport = command == ["import"]
                #expect(run.status == (isImport ? 0 : 1) && run.output == "", "\(run)")
                #expect(isImport || run.errors.contains("There is no file \"\(tool.folder)/.local/share/demo/store.sqlite\""), "\(run)")
                #expect(!FileManager.default.fileExists(atPath: "\(tool.folder)/.local"))
            }
        }

        @Test("Control characters of the file do not reach a terminal")
        func terminal() async throws {
            try await withStore { tool, path in
                try await sqlite(path, "UPDATE items SET store = 'no' || char(27) || '[31mtes' WHERE store = 'notes'")
                let terminal = try tool.start("store", "list")
                #expect(try await terminal.end() == 0)
                try await terminal.waits(for: "1 item")
                #expect(terminal.text.contains(#"no\u{1b}[31mtes"#) && terminal.text.contains("3 items"), "\(terminal.text)")
            }
        }

        // MARK: Moving

        @Test("What was exported is imported with its ids, versions and order; an item that is there keeps its place")
        func moving() async throws {
            try await withStore { tool, path in
                let lines = try await tool.run("store", "export").output
                #expect(lines == Self.lines)
                let run = try await tool.run("store", "import", "--name", "other", input: lines + "\n")
                #expect(run.status == 0 && run.errors == "Imported: 4 items\n", "\(run)")
                #expect(try await tool.run("store", "export", "--name", "other").output == lines)
                let columns = "SELECT number, store, id, version, json FROM items"
                #expect(try await sqlite(path, columns).output == sqlite("\(tool.folder)/.local/share/demo/other.sqlite", columns).output)

                let file = "\(tool.folder)/notes.jsonl"
                #expect(try await tool.run("store", "export", "notes", "-o", file).status == 0)
                #expect(try contents(ofFile: file) == lines.split(separator: "\n").prefix(3).map { "\($0)\n" }.joined())
                let changed = #"{"id":"z","store":"notes","json":{"id":"z","text":"new"}}"#
                #expect(try await tool.run("store", "import", "--name", "other", input: changed).status == 0)
                #expect(
                    try await tool.run("store", "items", "notes", "--name", "other").output.split(separator: "\n")[1]
                        == #"{"id": "z", "text": "new"}"#)
                #expect(try await tool.run("store", "import", file, "--name", "third").status == 0)
                #expect(try await tool.run("store", "list", "--name", "third").output == "notes\t3\t0\n")
                #expect(try await tool.run("store", "import", file + ".gone").status == 74)
            }
        }

        @Test("export gives nobody access, and leaves links and pipes what they are; import reads them")
        func kinds() async throws {
            try await withStore { tool, _ in
                let lines = try await tool.run("store", "export").output, (file, name, pipe) = ("\(tool.folder)/f", "\(tool.folder)/l", "\(tool.folder)/p")
                #expect(try await tool.run("store", "export", "-o", file).status == 0)
                #expect(try mode(file) == 0o600)
                try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
                // Root may give it to anybody.
                if geteuid() == 0 { #expect(chown(file, 65534, 1000) == 0 && chmod(file, 0o640) == 0) }
                #expect(symlink(file, name) == 0 && mkfifo(pipe, 0o600) == 0)
                #expect(try await tool.run("store", "export", "notes", "-o", name).status == 0)
                #expect(try mode(file) == 0o640)
                let owners = try FileManager.default.attributesOfItem(atPath: file)
                if geteuid() == 0 { #expect(owners[.ownerAccountID] as? Int == 65534 && owners[.groupOwnerAccountID] as? Int == 1000) }
                #expect(try contents(ofFile: file) == lines.split(separator: "\n").prefix(3).map { "\($0)\n" }.joined())
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: name) == file)
                async let imported = tool.run("store", "import", pipe, "--name", "other")
                #expect(try await tool.run("store", "export", "-o", pipe).status == 0)
                #expect(try await imported.status == 0)
                #expect(try await tool.run("store", "export", "--name", "other").output == lines)
                #expect(try await tool.run("store", "import", "--name", "third", input: "\u{FEFF}" + lines).status == 0)
                #expect(try await tool.run("store", "export", "--name", "third").output == lines)
            }
        }

        @Test("A program that uses the store sees what is imported, as one change with the others' items")
        func seen() async throws {
            try await withTool { tool in
                let notes = Store<Note>("notes", in: StoreFile(path: "\(tool.folder)/.local/share/demo/store.sqlite"))
                try await notes.insert([Note(id: "b"), Note(id: "z")])
                let run = try await tool.run(
                    "store", "import",
                    input: """
                        {"store": "notes", "id": "a", "json": {"id": "a", "text": "new"}}
                        {"store": "notes", "id": "b", "json": {"id": "b", "text": "old"}}
                        {"store": "notes", "id": "z", "json": {"id": "z", "text": "new"}}
                        {"store": "notes", "id": "b", "json": {"id": "b", "text": "new"}}
                        """)
                #expect(run.status == 0, "\(run)")
                for await items in notes.values where items.count == 3 {
                    #expect(items == [Note(id: "b", text: "new"), Note(id: "z", text: "new"), Note(id: "a", text: "new")])
                    break
                }
                // The next change takes none of it back.
                try await notes.insert(Note(id: "c"))
                #expect(notes.items.map(\.id) == ["b", "z", "a", "c"])
            }
        }

        @Test(
            "An import with a wrong line names it, and stores nothing",
            arguments: [
                (#"{"store": "notes", "id": "a"#, "is not JSON that can be stored: "),
                (#"["notes", "a"]"#, "is not a JSON object"),
                (#"{"id": "a", "json": {}}"#, "has no \"store\" that is a name"),
                (#"{"store": "", "id": "a", "json": {}}"#, "has no \"store\" that is a name"),
                (#"{"store": "notes", "json": {}}"#, "has no \"id\""),
                (#"{"store": "notes", "id": "a"}"#, "has no \"json\""),
                (#"{"store": "notes", "id": "a", "version": -1, "json": {}}"#, "has a \"version\" that is no version"),
                (#"{"store": "notes", "id": "a", "version": "1", "json": {}}"#, "has a \"version\" that is no version"),
                ("{\"store\": \"notes\", \"id\": \"a\", \"json\": {\"\u{e9}\": 1, \"e\u{301}\": 2}}", "is not JSON that can be stored: "),
            ])
        func wrongLine(line: String, problem: String) async throws {
            try await withTool { tool in
                let good = #"{"store": "notes", "id": "first", "json": {"id": "first", "text": ""}}"#
                let run = try await tool.run("store", "import", input: "\(good)\n\n\(line)\n\(good)\n")
                #expect(run.status == 65 && run.errors.contains("Nothing was imported: line 3 \(problem)"), "\(run)")
                #expect(!FileManager.default.fileExists(atPath: "\(tool.folder)/.local"))
            }
        }

        // MARK: Trouble

        @Test("check and doctor say what is in a file that is whole, and that sqlite3's changes are seen")
        func whole() async throws {
            try await withStore { tool, path in
                for command in [["store", "check"], ["store", "check", "--quick"], ["doctor"]] {
                    let text = try await tool.run(command).output.words
                    #expect(text.contains("\(path) holds 4 items in 2 stores and has mode 0600."), "\(text)")
                    #expect(text.contains("What sqlite3 changes in it is seen by running programs, too."), "\(text)")
                    #expect(text.contains("\"pages\" has 1 item, of version 2.") && text.contains("\"notes\" has 3 items."), "\(text)")
                    #expect(!text.contains("PROBLEM  \(path)"))
                }
                #expect(try await tool.run("store", "check").status == 0)
                let json = try #require(JSONValue(text: try await tool.run("store", "check", "--json").output))
                #expect(json["ok"] == true)
            }
        }

        @Test("A file that somebody has emptied, or that has no tables, is called empty, and not whole", arguments: [false, true])
        func empty(isDatabase: Bool) async throws {
            try await withStore { tool, path in
                #expect(truncate(path, 0) == 0)
                if isDatabase { try await sqlite(path, "CREATE TABLE a (b); DROP TABLE a") }
                for command in [["store", "check"], ["store", "check", "--quick"], ["doctor"]] {
                    let text = try await tool.run(command).output.words
                    #expect(text.contains("note \(path) is empty: no item is in it."), "\(text)")
                    #expect(!text.contains("whole") && !text.contains("\(path) holds"), "\(text)")
                }
                #expect(try await tool.run("store", "check").status == 0)
            }
        }

        @Test("doctor says nothing of stores where there are none, and passes over databases of the program's own")
        func others() async throws {
            try await withTool { tool in
                #expect(try await !tool.run("doctor").output.contains("Items"))
                try FileManager.default.createDirectory(atPath: "\(tool.folder)/.local/share/demo", withIntermediateDirectories: true)
                try await sqlite("\(tool.folder)/.local/share/demo/cache.sqlite", "CREATE TABLE cache (a)")
                try await sqlite("\(tool.folder)/.local/share/demo/log.sqlite", "PRAGMA journal_mode = WAL; CREATE TABLE log (a)")
                #expect(try await !tool.run("doctor").output.contains("Items"))
                try await sqlite("\(tool.folder)/.local/share/demo/store.sqlite", "CREATE TABLE cache (a)")
                let text = try await tool.run("doctor").output.words
                #expect(text.contains("PROBLEM \"\(tool.folder)/.local/share/demo/store.sqlite\" is a database of another program."), "\(text)")
                #expect(!text.contains("cache.sqlite"))
                #expect(try await tool.run("store", "check").status == 65)
                #expect(try await tool.run("store", "import", input: #"{"store": "a", "id": 1, "json": 1}"#).status == 65)
            }
        }

        @Test("A file of a newer version is refused, and rows that are not JSON and a mode that lets others write are found")
        func findings() async throws {
            try await withStore { tool, path in
                try await sqlite(path, "UPDATE items SET json = '{' WHERE store = 'notes'")
                chmod(path, 0o666)
                let run = try await tool.run("store", "check")
                let text = run.output.words
                #expect(run.status == 1 && text.contains("PROBLEM 3 rows (\"b\", \"z\", \"a\") of \"notes\" are not JSON"), "\(text)")
                #expect(text.contains("chmod go-w \(path)"))
                #expect(try await tool.run("doctor").output.words.contains("PROBLEM 3 rows"))
                try await sqlite(path, "PRAGMA user_version = 2")
                let newer = try await tool.run("store", "list")
                #expect(newer.status == 65 && newer.errors.contains("A newer program made"), "\(newer)")
                #expect(try await tool.run("doctor").output.words.contains("PROBLEM A newer program made"))
            }
        }

        @Test("Of a damaged file, what lies before and behind the damage is exported, and check says what to do")
        func damage() async throws {
            let text = String(repeating: "long ", count: 40)
            let lines = (1...2000).map { #"{"store": "notes", "id": "\#($0)", "json": {"id": "\#($0)", "text": "\#(text)"}}\#n"# }.joined()
            try await withStore(lines) { tool, path in
                var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                // A leaf of the table (sqlite.org/fileformat.html#b_tree_pages) in the middle.
                let leaves = stride(from: 0, to: bytes.count, by: 4096).filter { page in
                    bytes[page] == 0x0d && bytes[page..<page + 4096].range(of: Data(text.utf8)) != nil
                }
                let page = leaves[leaves.count / 2]
                bytes.replaceSubrange(page..<page + 4096, with: Data(repeating: 0xff, count: 4096))
                try bytes.write(to: URL(fileURLWithPath: path))

                let run = try await tool.run("store", "export")
                let lines = run.output.split(separator: "\n")
                #expect(run.status == 65 && run.errors.contains("is damaged"), "\(run.errors)")
                #expect(lines.count > 1900 && lines.count < 2000, "\(lines.count)")
                #expect(lines.first?.contains(#""id": "1","#) == true && lines.last?.contains(#""id": "2000","#) == true)
                #expect(try await tool.run("store", "import", "--name", "rescued", input: run.output).status == 0)
                for command in [["store", "check"], ["doctor"]] {
                    let check = try await tool.run(command)
                    let found = check.output.words
                    #expect(check.status == 1 && found.contains("PROBLEM \(path) is damaged, or no database:"), "\(check)")
                    #expect(found.contains("stored-values store export --file \(path) -o items.jsonl"), "\(found)")
                }
                try tool.write("This is no database, but a text that is long enough to have a header. And so on, and so on, to 100.", to: path)
                let none = try await tool.run("store", "check")
                #expect(none.status == 1 && none.output.words.contains("is damaged, or no database"), "\(none)")
                #expect(try await tool.run("store", "list").status == 65)
            }
        }

        @Test("doctor leaves an interrupted change to whoever opens the file next, and list takes it back")
        func interrupted() async throws {
            try await withStore { tool, path in
                let change = "PRAGMA cache_size = 5; BEGIN IMMEDIATE; UPDATE items SET json = hex(randomblob(200000)); SELECT 1"
                try await sqlite(path, change, thenKilled: true)
                let text = try await tool.run("doctor").output.words
                #expect(text.contains("note A change of \(path) was interrupted.") && text.contains("\(path)-journal"), "\(text)")
                #expect(try await tool.run("store", "list").output == "notes\t3\t0\npages\t1\t0\n")
                #expect(try await tool.run("doctor").output.words.contains("\(path) holds 4 items in 2 stores"))
            }
        }

        @Test("A write-ahead log is named, and what is in it is read; no file of it stays")
        func writeAheadLog() async throws {
            try await withStore { tool, path in
                try await sqlite(path, "PRAGMA journal_mode = WAL; DELETE FROM items WHERE id = '\"b\"'", thenKilled: true)
                let text = try await tool.run("doctor").output.words
                #expect(text.contains("note \(path) has a write-ahead log"), "\(text)")
                #expect(try await tool.run("store", "list").output == "notes\t2\t0\npages\t1\t0\n")
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
            }
        }
    }
#else
    import Testing

    @Suite("stored-values store, not built in", .hangLimit)
    struct ToolStoreTests {}

    extension ToolStoreTests {
        @Test("The command answers that it was built without its trait", arguments: [[], ["list"], ["export", "notes", "--file", "a"]])
        func notBuiltIn(words: [String]) async throws {
            try await withTool { tool in
                let run = try await tool.run(["store"] + words)
                #expect(run.status == 69 && run.errors.contains("without the trait Store"), "\(run)")
            }
        }
    }
#endif
