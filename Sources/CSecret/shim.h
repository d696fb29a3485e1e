#if !__has_include(<libsecret/secret.h>)
#error "The trait Libsecret needs libsecret: apt-get install libsecret-1-dev pkg-config, or build without that trait."
#endif

// For the calls that work on D-Bus paths; libsecret has had them, unchanged, since 0.7.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>
#include <glib-unix.h>

// Only what Swift cannot say.

// GLib's own header for this one lies in a folder that libsecret-1.pc does not name. The descriptors become the list's.
GUnixFDList *g_unix_fd_list_new_from_array (const gint *fds, gint n_fds);

// Swift imports no variadic functions, and a SecretService on a connection of our own can be made in no other way.
// secret_service_open_sync() takes GLib's shared session bus, which is found once per process and never again.
// Signals and properties are not asked for: this proxy lives long, and nobody would hear or refresh them.
static inline SecretService *
stored_values_service_new (GType type, GDBusConnection *bus, const char *owner, GCancellable *cancellable, GError **error)
{
    return (SecretService *) g_initable_new (
        type, cancellable, error,
        "g-connection", bus,
        "g-name", owner,
        "g-object-path", "/org/freedesktop/secrets",
        "g-interface-name", "org.freedesktop.Secret.Service",
        "g-flags", G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS,
        NULL);
}
