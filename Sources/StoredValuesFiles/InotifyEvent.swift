/// One event in a watched folder.
struct InotifyEvent: Equatable, Sendable {
    /// The number of the folder's watch; -1 for an overflow, which concerns all.
    var watch: Int32
    var events: FolderEvents
    /// The name inside the folder, as bytes, because names need not be UTF-8. Empty for the folder itself.
    var name: [UInt8] = []

    /// The events in a buffer: each is a watch, a mask, a cookie and a length of four bytes each, then that many bytes of name,
    /// padded with zeros (inotify(7)).
    static func all(in bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        let headSize = 16
        var events: [InotifyEvent] = []
        var start = 0
        while start + headSize <= bytes.count {
            func field<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
                bytes.loadUnaligned(fromByteOffset: start + offset, as: Number.self)
            }
            let length = Int(field(12) as UInt32)
            let end = min(start + headSize + length, bytes.count)
            let name = bytes[(start + headSize)..<end].prefix { $0 != 0 }
            events.append(InotifyEvent(watch: field(0), events: FolderEvents(rawValue: field(4)), name: Array(name)))
            start = end
        }
        return events
    }
}
