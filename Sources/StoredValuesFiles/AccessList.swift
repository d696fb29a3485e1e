/// An access control list (acl(5)) in the kernel's format: a version, then for each entry two bytes for its tag, two for its
/// permissions, and the number of a user or group (linux/posix_acl_xattr.h). Always little-endian.
struct AccessList: Equatable {
    /// The name of the extended attribute.
    static let name = "system.posix_acl_access"

    /// Whom an entry is for.
    private enum Tag: UInt8 {
        case owner = 0x01
        case user = 0x02
        case owningGroup = 0x04
        case group = 0x08
        /// The maximum for all but the owner and the others.
        case mask = 0x10
        case others = 0x20
    }

    private static let headerSize = 4
    private static let entrySize = 8

    private(set) var bytes: [UInt8]

    /// Nil if the format is unknown.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.headerSize, bytes[..<Self.headerSize] == [2, 0, 0, 0],
            (bytes.count - Self.headerSize) % Self.entrySize == 0
        else { return nil }
        self.bytes = bytes
        for start in entries where Tag(rawValue: bytes[start]) == nil || bytes[start + 1] != 0 { return nil }
    }

    private func first(_ tag: Tag) -> Int? { entries.first { bytes[$0] == tag.rawValue } }

    private var entries: StrideTo<Int> { stride(from: Self.headerSize, to: bytes.count, by: Self.entrySize) }

    /// Limits the owning group to the permissions of the others, because it is another group now.
    mutating func limitOwningGroup() {
        let others = first(.others).map { bytes[$0 + 2] } ?? 0
        for start in entries where bytes[start] == Tag.owningGroup.rawValue { bytes[start + 2] &= others }
    }

    /// Gives `user`, the former owner, the owner's permissions, and nobody else more than before.
    mutating func letIn(_ user: UInt32) {
        guard let mask = first(.mask), let owner = first(.owner), let place = first(.owningGroup) else { return }
        let (limit, permissions) = (bytes[mask + 2], bytes[owner + 2])
        // The new mask permits more, so each entry keeps what the old mask left of it.
        for start in entries {
            switch Tag(rawValue: bytes[start]) {
            case .user, .owningGroup, .group: bytes[start + 2] &= limit
            default: break
            }
        }
        bytes[mask + 2] = limit | permissions
        let number = (0..<4).map { UInt8(truncatingIfNeeded: user >> (8 * $0)) }
        let known = entries.first { bytes[$0] == Tag.user.rawValue && Array(bytes[$0 + 4..<$0 + 8]) == number }
        if let known {
            bytes[known + 2] = permissions
        } else {
            bytes.insert(contentsOf: [Tag.user.rawValue, 0, permissions, 0] + number, at: place)
        }
    }

    /// Lets writers read too, and takes all permissions from those who may not write. The owner gets both.
    mutating func keepWriters() {
        for start in entries {
            let isWriter = bytes[start] == Tag.owner.rawValue || bytes[start + 2] & 0o2 != 0
            bytes[start + 2] = isWriter ? 0o6 : 0
        }
    }
}
