import Glibc

/// What this process holds of what can leak.
struct Footprint: CustomStringConvertible {
    var descriptors: Int
    var threads: Int
    /// Bytes that were allocated and not freed.
    var memory: Int

    static var now: Footprint {
        Footprint(descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"), memory: memoryInUse())
    }

    var description: String { "\(descriptors) \(threads) \(memory)" }

    private static func count(_ folder: String) -> Int {
        guard let entries = opendir(folder) else { return 0 }
        defer { closedir(entries) }
        var count = 0
        while readdir(entries) != nil { count += 1 }
        return count
    }

    /// What malloc_info(3) says: all that the heaps have of the system without what is free in them, and what is mapped.
    ///
    /// Not the resident memory, which grows with the holes in the heap too. Zero where malloc is not glibc's.
    private static func memoryInUse() -> Int {
        // Swift's Glibc has no malloc.h.
        typealias MallocInfo = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        guard let symbol = dlsym(nil, "malloc_info") else { return 0 }
        let mallocInfo = unsafeBitCast(symbol, to: MallocInfo.self)
        var text: UnsafeMutablePointer<CChar>?, size = 0
        guard let stream = open_memstream(&text, &size) else { return 0 }
        let failed = mallocInfo(0, stream) != 0
        fclose(stream)
        defer { free(text) }
        guard !failed, let text else { return 0 }
        // The totals of all heaps stand at the end.
        let lines = String(cString: text).split(separator: "\n")
        func last(_ beginning: String) -> Int {
            let line = lines.last { $0.hasPrefix(beginning) } ?? ""
            return line.split(separator: "size=\"").last?.split(separator: "\"").first.flatMap { Int($0) } ?? 0
        }
        return last("<system type=\"current\"") + last("<total type=\"mmap\"") - last("<total type=\"fast\"")
            - last("<total type=\"rest\"")
    }
}
