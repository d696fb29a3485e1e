/// Converts dates to ISO 8601 text and back without loss: `2026-11-21T10:59:00.25Z`. Foundation's formatters round, accept
/// February 30th, and take longer than the rest of an item.
enum ISO8601 {
    /// The text of a date, given in seconds since 2001, with as many decimals as it needs to read back equal; nil if the year
    /// does not have four digits, and for -0.
    static func text(_ seconds: Double) -> String? {
        // From the year 1 to the year 9999.
        guard seconds > -63_113_904_000, seconds < 252_423_993_600, seconds != 0 || seconds.sign == .plus else { return nil }
        var whole = Int(seconds.rounded(.down))
        var decimals = "Z"
        if seconds != Double(whole) {
            // The shortest number that reads back equal, as an integer: parts of a `Double` would be rounded.
            let parts = seconds.description.split(separator: ".")
            guard parts.count == 2, let number = Int128(parts[0] + parts[1]) else { return nil }
            let scale = powerOfTen(parts[1].utf8.count)
            whole = Int(floorDivide(number, scale))
            decimals = ".\("\(scale + number - Int128(whole) * scale)".dropFirst())Z"
        }
        let day = floorDivide(whole, 86_400), second = whole - day * 86_400
        let (year, month, dayOfMonth) = date(ofDay: day)
        var text: [UInt8] = []
        text.reserveCapacity(19 + decimals.utf8.count)
        for (number, separator) in [
            (year / 100, 0), (year % 100, UInt8(ascii: "-")), (month, UInt8(ascii: "-")), (dayOfMonth, UInt8(ascii: "T")),
            (second / 3600, UInt8(ascii: ":")), (second / 60 % 60, UInt8(ascii: ":")), (second % 60, 0),
        ] {
            text.append(UInt8(48 + number / 10))
            text.append(UInt8(48 + number % 10))
            if separator != 0 { text.append(separator) }
        }
        return String(decoding: text + decimals.utf8, as: UTF8.self)
    }

    /// The seconds since 2001; nil if the text is not a date with a time and a zone.
    static func seconds(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        func number(at index: Int) -> Int { Int(text[index]) * 10 + Int(text[index + 1]) - 11 * 48 }
        guard text.count > 19, isLike("0000-00-00T00:00:00", text[..<19]) else { return nil }
        let (year, month, dayOfMonth) = (number(at: 0) * 100 + number(at: 2), number(at: 5), number(at: 8))
        let (hour, minute, second) = (number(at: 11), number(at: 14), number(at: 17))
        let day = day(ofYear: year, month, dayOfMonth), secondOfDay = hour * 3600 + minute * 60 + second
        // A leap second counts as the second after it, and 24:00 as the next day.
        guard year > 0, date(ofDay: day) == (year, month, dayOfMonth), secondOfDay <= 86_400, minute < 60, second <= 60
        else { return nil }
        var whole = day * 86_400 + secondOfDay

        var zone = text[19...]
        var decimals = text[..<0]
        if zone.first == UInt8(ascii: ".") {
            decimals = zone.dropFirst().prefix { isDigit($0) }
            zone = zone[decimals.endIndex...]
            guard !decimals.isEmpty else { return nil }
        }
        if !isLike("Z", zone) {
            let (sign, zone) = (zone.first, zone.dropFirst())
            guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), isLike("00:00", zone) || isLike("0000", zone)
            else { return nil }
            let (hours, minutes) = (number(at: zone.startIndex), number(at: zone.endIndex - 2))
            guard hours < 24, minutes < 60 else { return nil }
            whole -= (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }

        guard !decimals.isEmpty else { return Double(whole) }
        decimals = decimals.prefix(24)  // more digits than a `Double` of this size has
        let numerator = decimals.reduce(0 as Int128) { $0 * 10 + Int128($1 - 48) } + Int128(whole) * powerOfTen(decimals.count)
        // If both are exact, the division rounds once.
        guard numerator.magnitude < 1 << 53, decimals.count < 19 else { return Double("\(numerator)e-\(decimals.count)") }
        return Double(Int(numerator)) / Double(Int(powerOfTen(decimals.count)))
    }

    private static func isLike(_ shape: StaticString, _ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        text.count == shape.utf8CodeUnitCount
            && shape.withUTF8Buffer { zip($0, text).allSatisfy { $0 == UInt8(ascii: "0") ? isDigit($1) : $0 == $1 } }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
    private static func powerOfTen(_ exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    private static func floorDivide<Integer: SignedInteger>(_ number: Integer, _ divisor: Integer) -> Integer {
        number >= 0 ? number / divisor : (number + 1) / divisor - 1
    }

    // MARK: The calendar

    // Days are counted from 2001-01-01. The calendar is Gregorian from 1582-10-15 on and Julian before, as in Foundation. Years
    // begin in March here, so that a leap day is the last day of its year.

    /// The day on which a year begins.
    private static func day(ofYear year: Int, isJulian: Bool) -> Int {
        365 * year + year / 4 - (isJulian ? 2 : year / 100 - year / 400) - 730_791
    }

    private static func day(ofYear year: Int, _ month: Int, _ dayOfMonth: Int) -> Int {
        let isJulian = (year, month, dayOfMonth) < (1582, 10, 15)
        let start = day(ofYear: month < 3 ? year - 1 : year, isJulian: isJulian)
        return start + (153 * ((month + 9) % 12) + 2) / 5 + dayOfMonth - 1
    }

    private static func date(ofDay day: Int) -> (year: Int, month: Int, dayOfMonth: Int) {
        let isJulian = day < -152_750
        var year = (day + 730_793) / 365  // never too small, as leap days are not counted
        while self.day(ofYear: year, isJulian: isJulian) > day { year -= 1 }
        let dayOfYear = day - self.day(ofYear: year, isJulian: isJulian)
        let month = (5 * dayOfYear + 2) / 153
        return (month < 10 ? year : year + 1, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}
