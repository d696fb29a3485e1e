import StoredValues
import StoredValuesSupport

/// Bytes of a secret while they arrive, in memory that is wiped when it is released.
final class SecretBuffer {
    private let storage: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) {
        storage = .allocate(byteCount: capacity, alignment: 1)
    }

    deinit {
        wipe(storage)
        storage.deallocate()
    }

    var hasRoom: Bool { count < storage.count }

    var secret: Secret { Secret(storage[..<count]) }

    /// Calls `fill` to write bytes after the existing ones, and returns whether it wrote any.
    func append<Failure>(_ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int) throws(Failure) -> Bool {
        let added = try fill(UnsafeMutableRawBufferPointer(rebasing: storage[count...]))
        count += added
        return added > 0
    }

    /// Appends `byte`, and returns whether there was room.
    func append(_ byte: UInt8) -> Bool {
        guard hasRoom else { return false }
        storage[count] = byte
        count += 1
        return true
    }

    func removeLast() -> UInt8? {
        guard count > 0 else { return nil }
        count -= 1
        return storage[count]
    }

    func removeAll() { count = 0 }

    /// Removes the last character with all its bytes.
    func removeCharacter() {
        // All bytes of a character except the first are 10xxxxxx.
        while let byte = removeLast(), byte & 0b1100_0000 == 0b1000_0000 {}
    }

    func dropLineBreak() {
        guard count > 0, storage[count - 1] == UInt8(ascii: "\n") else { return }
        count -= 1
        if count > 0, storage[count - 1] == UInt8(ascii: "\r") { count -= 1 }
    }
}
