#if Libsecret
    import Dispatch

    /// The threads of this layer.
    ///
    /// libsecret's calls block, and gnome-keyring aborts when several sessions are negotiated at once, so all of the
    /// process's calls run one after the other on one thread. It is neither a thread of Swift's pool nor the caller's.
    enum ServiceThread {
        /// Where every call to libsecret runs. A serial queue without a target has a thread of its own while it works.
        static let calls = DispatchQueue(label: "StoredValues.SecretService.calls")

        /// Where a question to the person waits for its answer, which may take minutes; touches D-Bus only, not libsecret.
        static let questions = DispatchQueue(label: "StoredValues.SecretService.questions")

        /// Where deadlines fire and calls are cancelled: never behind a call.
        static let deadlines = DispatchQueue(label: "StoredValues.SecretService.deadlines")
    }
#endif
