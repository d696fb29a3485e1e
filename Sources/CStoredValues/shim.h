// Only what Swift cannot say.

#pragma once

#include <stddef.h>
#include <sys/auxv.h>
#include <sys/xattr.h>  // left out of Swift's import of the C library

// Declared by the C library with _GNU_SOURCE only, which Swift's import of it does not define.
char *secure_getenv (const char *name);

// The variable's value; NULL when it is not set, or when this program has rights that whoever started it need not have
// (setuid, setgid, file capabilities: AT_SECURE of getauxval(3)).
static inline const char *
stored_values_getenv (const char *name)
{
    return secure_getenv (name);
}

// Declared by the C library with _GNU_SOURCE only.
extern char **environ;

// All variables, as "NAME=value", up to NULL; NULL where the one above finds none.
static inline char *const *
stored_values_environment (void)
{
    return getauxval (AT_SECURE) ? 0 : environ;
}

// Of SQLite, which whoever calls the following links. GRDB passes on what it has of SQLite, but not SQLite's functions.
struct sqlite3;
struct sqlite3_stmt;
int sqlite3_db_config (struct sqlite3 *, int op, ...);
int sqlite3_bind_int64 (struct sqlite3_stmt *, int place, long long integer);
int sqlite3_bind_text64 (struct sqlite3_stmt *, int place, const char *, unsigned long long size, void (*) (void *), unsigned char encoding);
int sqlite3_step (struct sqlite3_stmt *);
long long sqlite3_column_int64 (struct sqlite3_stmt *, int column);
int sqlite3_reset (struct sqlite3_stmt *);
int sqlite3_clear_bindings (struct sqlite3_stmt *);

// Whether triggers run for what this connection changes; returns SQLITE_OK. Swift cannot call a function of any number of arguments.
static inline int
stored_values_set_triggers (struct sqlite3 *connection, int run)
{
    return sqlite3_db_config (connection, 1003 /* SQLITE_DBCONFIG_ENABLE_TRIGGER */, run, (int *) 0);
}

// Sets `integer` to the first column of the statement's one row, or to 0 if there is no row or a NULL; returns SQLITE_OK.
static inline int
stored_values_integer (struct sqlite3_stmt *statement, long long *integer)
{
    *integer = sqlite3_step (statement) == 100 /* SQLITE_ROW */ ? sqlite3_column_int64 (statement, 0) : 0;
    return sqlite3_reset (statement);  // which returns what went wrong in the step
}

// Binds a copy of the text, in UTF-8, which may be empty; returns SQLITE_OK.
static inline int
stored_values_bind_text (struct sqlite3_stmt *statement, int place, const void *text, size_t size)
{
    return sqlite3_bind_text64 (statement, place, text ? text : "", size, (void (*) (void *)) -1 /* SQLITE_TRANSIENT */, 1 /* SQLITE_UTF8 */);
}

// Runs a statement that selects nothing; returns SQLITE_OK.
static inline int
stored_values_run (struct sqlite3_stmt *statement)
{
    sqlite3_step (statement);
    return sqlite3_reset (statement);  // which returns what went wrong in the step
}
