#include <stddef.h>

// The calls that a C program makes, on the attributes "service" and "account". No GLib type gets out, so that the
// Swift side needs no headers of GLib.

// The secret, to be given back with peer_free(), or NULL when there is none or the keyring fails.
char *peer_lookup(const char *service, const char *account);
void peer_free(char *secret);

// Stores the secret; returns whether that worked.
int peer_store(const char *service, const char *account, const char *secret);

// Asks which items there are; returns whether there was an answer.
int peer_search(const char *service, const char *account);
