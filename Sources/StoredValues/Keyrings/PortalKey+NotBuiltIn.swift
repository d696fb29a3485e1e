#if !Libsecret
    extension PortalKey {
        /// Answers that the portal is not built in.
        func begin() { take(.failure(.notBuiltIn)) }
    }
#endif
