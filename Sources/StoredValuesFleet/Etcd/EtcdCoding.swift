#if Fleet
    import FoundationEssentials
    import NIOCore

    /// The JSON of the gateway.
    enum EtcdCoding {
        static func bytes(of request: some Encodable) throws(EtcdError) -> [UInt8] {
            do { return Array(try JSONEncoder().encode(request)) } catch {
                throw EtcdError(reason: .refused, sentence: "the request cannot be encoded")
            }
        }

        /// The answer; nil if it is another.
        static func answer<Answer: Decodable>(_ type: Answer.Type, from body: ByteBuffer) -> Answer? {
            try? JSONDecoder().decode(type, from: Data(body.readableBytesView))
        }

        /// What the gateway says in place of an answer; nil if it says nothing known. What refuses a client certificate with a
        /// common name is plain text (seen: etcd 3.4.23).
        static func problem(_ body: ByteBuffer) -> EtcdProblem? {
            guard body.readableBytes < 1 << 20 else { return nil }
            return answer(EtcdProblem.self, from: body) ?? EtcdProblem(message: String(buffer: body))
        }
    }
#endif
