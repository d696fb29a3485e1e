/// What a member of etcd says of itself.
struct EtcdStatus: Decodable, Sendable {
    struct Header: Decodable, Sendable {
        let member: UInt64
        let revision: Int
        /// The number of the vote for the leader that it knows of; each is greater than those before.
        let term: UInt64

        enum CodingKeys: String, CodingKey { case member = "member_id", revision, term = "raft_term" }
    }

    let header: Header
    /// The number of the member that leads; 0 is none.
    let leader: UInt64

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        header = try container.decode(Header.self, forKey: .header)
        leader = try container.decodeIfPresent(UInt64.self, forKey: .leader) ?? 0
    }

    private enum CodingKeys: String, CodingKey { case header, leader }
}
