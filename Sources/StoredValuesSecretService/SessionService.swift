#if Libsecret
    import CSecret

    /// A subclass of libsecret's `SecretService` that can use a connection of our own. It is here for its session alone,
    /// which encrypts secrets on their way: everything else that libsecret does for its callers may wait without a limit, or
    /// ask the person. The subclass leaves other users of libsecret in this process alone.
    let sessionService: GType = g_type_register_static_simple(
        secret_service_get_type(),
        "StoredValuesSessionService",
        guint(MemoryLayout<SecretServiceClass>.size),
        { classPointer, _ in
            guard let methods = classPointer?.assumingMemoryBound(to: SecretServiceClass.self) else { return }
            // Since 0.19 libsecret's own constructor insists on GLib's shared session bus, whatever it is given; a proxy's
            // constructor takes the connection it is given.
            let proxy = g_type_class_ref(g_dbus_proxy_get_type())!  // never nil for a type that exists
            methods.pointee.parent_class.parent_class.constructor =
                proxy.assumingMemoryBound(to: GObjectClass.self).pointee.constructor
            g_type_class_unref(proxy)
        },
        guint(MemoryLayout<CSecret.SecretService>.size),
        nil,
        GTypeFlags(rawValue: 0)
    )
#endif
