#include "LibsecretPeer.h"
#include <libsecret/secret.h>

static const SecretSchema schema = {
    "org.freedesktop.Secret.Generic", SECRET_SCHEMA_DONT_MATCH_NAME,
    {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}}};

static GHashTable *attributes(const char *service, const char *account)
{
    return secret_attributes_build(&schema, "service", service, "account", account, NULL);
}

char *peer_lookup(const char *service, const char *account)
{
    GHashTable *table = attributes(service, account);
    char *secret = secret_password_lookupv_sync(&schema, table, NULL, NULL);
    g_hash_table_unref(table);
    return secret;
}

void peer_free(char *secret)
{
    secret_password_free(secret);
}

int peer_store(const char *service, const char *account, const char *secret)
{
    GHashTable *table = attributes(service, account);
    gboolean stored =
        secret_password_storev_sync(&schema, table, SECRET_COLLECTION_DEFAULT, "Benchmark", secret, NULL, NULL);
    g_hash_table_unref(table);
    return stored;
}
