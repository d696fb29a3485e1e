#if !Libsecret
    extension PortalKey {
        /// Answers that nobody can be asked.
        func begin() { take(.failure(.notBuiltIn)) }
    }
#endif
