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

int peer_search(const char *service, const char *account)
{
    GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
    if (bus == NULL) return 0;
    GVariantBuilder builder;
    g_variant_builder_init(&builder, G_VARIANT_TYPE("a{ss}"));
    g_variant_builder_add(&builder, "{ss}", "service", service);
    g_variant_builder_add(&builder, "{ss}", "account", account);
    GVariant *reply = g_dbus_connection_call_sync(
        bus, "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "SearchItems",
        g_variant_new("(a{ss})", &builder), G_VARIANT_TYPE("(aoao)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
    int found = reply != NULL;
    if (reply != NULL) g_variant_unref(reply);
    g_object_unref(bus);
    return found;
}
