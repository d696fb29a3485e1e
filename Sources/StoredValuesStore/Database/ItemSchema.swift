#if Store
    import CStoredValues
    import GRDB

    /// The tables of a store's file, for this package and for people with `sqlite3`.
    ///
    /// `items` has a row for each item: its JSON, the JSON of its id, and the version of its type. Rows are in the order of insertion by
    /// `number`. `removed` has the ids of the last removals.
    ///
    /// `revision` counts the changes of one store, so that another process reads only what has changed. Triggers count for other programs,
    /// such as `sqlite3`; they are off for ``ItemRows``, which counts by itself, as they would take a fifth of an insertion's time. Before a
    /// row is inserted or moved, an empty removal uses up a revision, because no trigger runs for a row that it replaces (OR REPLACE). A row
    /// that comes with an old revision, as from a backup, gets a new one. Two removals go unnoticed: of a row that a row of another store
    /// replaces by its number, and of one that OR REPLACE has moved to another number and the same transaction replaces there.
    enum ItemSchema {
        /// Marks a file of stores, in the file's header: "SVst".
        static let applicationID: Int64 = 0x5356_7374
        static let version = 1
        /// At least this many removals are kept.
        static let keptRemovals = 1000

        static let tables = """
            CREATE TABLE items (
                number INTEGER PRIMARY KEY,
                store TEXT NOT NULL,
                id TEXT NOT NULL CHECK (typeof(id) = 'text'),
                version INTEGER NOT NULL DEFAULT 0,
                json TEXT NOT NULL,
                revision INTEGER NOT NULL DEFAULT 0 CHECK (typeof(revision) = 'integer'),
                UNIQUE (store, id)
            );
            CREATE INDEX items_by_revision ON items (store, revision);
            CREATE TABLE removed (
                store TEXT NOT NULL,
                revision INTEGER NOT NULL CHECK (typeof(revision) = 'integer'),
                id TEXT NOT NULL,
                PRIMARY KEY (store, revision)
            ) WITHOUT ROWID;
            CREATE TRIGGER item_inserts BEFORE INSERT ON items WHEN NEW.revision <= 0 OR \(exists("items", ">=")) OR \(exists("removed", ">")) BEGIN
                INSERT INTO removed (store, revision, id) VALUES (NEW.store, \(next("NEW")), x'');
            END;
            CREATE TRIGGER item_inserted AFTER INSERT ON items WHEN \(exists("removed", ">=")) BEGIN
                UPDATE items SET revision = \(next("NEW")) WHERE number = NEW.number;
            END;
            CREATE TRIGGER item_changed AFTER UPDATE OF number, version, json ON items
            WHEN (NEW.revision <= OLD.revision OR \(exists("items", ">=", "AND number <> NEW.number")) OR \(exists("removed", ">="))) AND NEW.store = OLD.store AND NEW.id = OLD.id BEGIN
                UPDATE items SET revision = max(OLD.revision + 1, \(next("NEW"))) WHERE number = NEW.number;
            END;
            CREATE TRIGGER item_moves BEFORE UPDATE OF number, store, id ON items BEGIN
                INSERT INTO removed (store, revision, id) VALUES (NEW.store, \(next("NEW")), x'');
            END;
            CREATE TRIGGER item_renamed AFTER UPDATE OF store, id ON items WHEN NEW.store <> OLD.store OR NEW.id <> OLD.id BEGIN
                INSERT INTO removed (store, revision, id) VALUES (OLD.store, max(OLD.revision + 1, \(next("OLD"))), OLD.id);
                UPDATE items SET revision = \(next("NEW")) WHERE number = NEW.number;
            END;
            CREATE TRIGGER item_removed AFTER DELETE ON items BEGIN
                INSERT INTO removed (store, revision, id) VALUES (OLD.store, max(OLD.revision + 1, \(next("OLD"))), OLD.id);
            END;
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = \(version);
            """

        /// The last revision of the store of a row, or that of a parameter.
        static func last(_ store: String) -> String {
            """
            max(coalesce((SELECT max(revision) FROM items WHERE store = \(store) AND revision <= 9223372036854775807), 0), \
            coalesce((SELECT max(revision) FROM removed WHERE store = \(store)), 0))
            """
        }

        private static func exists(_ table: String, _ comparison: String, _ more: String = "") -> String {
            "EXISTS (SELECT 1 FROM \(table) WHERE store = NEW.store AND revision \(comparison) NEW.revision \(more))"
        }

        private static func next(_ row: String) -> String { "1 + \(last("\(row).store"))" }

        /// Whether the file has the tables; false if it is empty. Throws if it is another program's, or of a newer version. In a transaction,
        /// or another process could make the tables between two of its questions.
        static func isThere(_ database: Database, _ path: String) throws -> Bool {
            // Pragmas, for a statement would have SQLite read the tables first, of which a newer version may have some that it does not know.
            let application = try database.integer("PRAGMA application_id")
            let version = Int(try database.integer("PRAGMA user_version"))
            if application == applicationID {
                guard version == self.version else { throw StoreError.newerFile(path: path, stored: version, supported: self.version) }
                return true
            }
            guard application == 0, version == 0, try database.integer("SELECT count(*) FROM sqlite_master") == 0 else {
                throw StoreError.foreign(path: path)
            }
            return false
        }
    }

    extension Database {
        func setTriggers(_ run: Bool) throws {
            guard stored_values_set_triggers(sqliteConnection, run ? 1 : 0) == 0 else { throw DatabaseError() }
        }

        /// The integer that a statement without arguments selects, which stays prepared; 0 if there is none. GRDB's `fetchOne` takes ten times
        /// as long, and each change asks for two.
        func integer(_ sql: String) throws -> Int64 {
            var integer: Int64 = 0
            let code = try stored_values_integer(cachedStatement(sql: sql).sqliteStatement, &integer)
            guard code == 0 else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            return integer
        }
    }
#endif
