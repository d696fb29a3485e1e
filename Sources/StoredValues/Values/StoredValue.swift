public import Observation
import StoredValuesSupport

/// A value that is kept in a preferences file and is live: every reader sees every change.
///
/// ```swift
/// @StoredValue(key: "fontSize") var fontSize = 14
///
/// $fontSize.set(16)                                    // in the file when this returns
/// for await size in $fontSize.values { print(size) }   // the value now, then every change
/// ```
///
/// All wrappers of one key in one file are one value, whatever instance, thread or task they are used from; each reads its
/// own default while nothing is stored. Declaring one key with two types ends the program with a sentence that names both.
///
/// Changes are synchronous and do not throw. When one returns, every reader sees it and the file is replaced, so killing
/// the process loses nothing; ``flush()`` returns when it would survive a power cut too. A change that cannot be
/// written stays in memory, is logged, is tried again by itself, and is thrown by ``flush()``. An item whose
/// `encode(to:)` throws, or that validation refuses, changes nothing; that is logged and thrown by ``flush()`` as well. So is a
/// change that would make the file larger than 64 MiB, and so are changes of what a newer version of the program stored (see
/// ``VersionedItem``), which stays as it is.
///
/// What somebody else writes that does not decode or is not valid leaves the last good value in use; at a start, with nothing
/// good known, the default is read. ``repairs`` and the log say so.
///
/// The value that a property is declared with is its default, also where the initialiser that Swift makes for a struct sets it.
/// Make that initialiser unreachable, by one of your own or by a `private` property:
///
/// ```swift
/// struct Page {
///     @StoredValue(key: "theme") var theme = "light"
///
///     init() {}  // else Page(theme: "dark") stores nothing, and reads "dark" while nothing is stored
///
///     func darken() { $theme.set("dark") }
/// }
/// ```
///
/// Where Swift allows no property wrapper (a `let` of a `Sendable` class, a `static let`), make it by
/// ``init(key:default:formerKeys:decoding:validate:storage:)`` and read its ``value``. Or put the properties of a `Sendable` class
/// into a struct:
///
/// ```swift
/// final class Server: Sendable {
///     struct Settings {
///         @StoredValue(key: "host") var host = "localhost"
///         @StoredValue(key: "limit") var limit = 60
///
///         init() {}
///     }
///
///     let settings = Settings()
///     let retries = StoredValue(key: "retries", default: 3)
///
///     var summary: String { "\(settings.host): \(settings.limit) requests, \(retries.value) retries" }
/// }
/// ```
///
/// A key that is used in several places is declared once, as a ``StoredKey``.
@propertyWrapper
public final class StoredValue<Item: StorableItem>: Sendable, Observable {
    /// What is to be used in place of an item, or a throw to refuse it.
    public typealias Validation = StoredKey<Item>.Validation

    let storage: PreferencesFile
    /// The temporary storage that this was made in.
    let scope = TemporaryScope.current
    /// Found at the first use, when the application has had its chance to name itself.
    let sharedPreference = SharedReference<LivePreference<Item>>()
    // What is of the item's size comes last, so that the compiler knows where the rest lies.
    let declaration: StoredKey<Item>
    /// What this wrapper made of the content of a revision, where that takes more than looking. The revision says whose content
    /// it is: the live value itself may be of a temporary storage, which this must not keep.
    let latest = Guarded<(revision: UInt64, interpretation: Interpretation<Item>)?>(nil)

    /// Declares a stored property by a key that is declared elsewhere: `@StoredValue(.limit) var limit`.
    ///
    /// - Parameters:
    ///   - key: The key with its default.
    ///   - storage: The file.
    public init(_ key: StoredKey<Item>, storage: PreferencesFile = .standard) {
        declaration = key
        self.storage = storage
    }

    /// Declares a stored property.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default, read while nothing is stored.
    ///   - key: The member of the file that holds the value. An empty one, and one that begins with `$`, ends
    ///     the program.
    ///   - formerKeys: Names that the key had in earlier versions, the latest first. While nothing is stored under the key,
    ///     the value of the first that has one moves to it, with its version, when the wrapper is first used; one that
    ///     a newer version of the program wrote stays where it is. A value under the key itself wins.
    ///   - decoding: What to do about stored JSON that is no `Item`.
    ///   - validate: What is to be used in place of an item that is set or read, or a throw to refuse it. It may read other values;
    ///     setting one in it traps. The default is not validated.
    ///   - storage: The file.
    public convenience init(
        wrappedValue: Item, key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, storage: PreferencesFile = .standard
    ) {
        self.init(
            key: key, default: wrappedValue, formerKeys: formerKeys, decoding: decoding, validate: validate, storage: storage)
    }

    /// Makes a stored value for a `let`; see ``init(wrappedValue:key:formerKeys:decoding:validate:storage:)``.
    public convenience init(
        key: String, default defaultItem: Item, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, storage: PreferencesFile = .standard
    ) {
        self.init(
            StoredKey(key, default: defaultItem, formerKeys: formerKeys, decoding: decoding, validate: validate), storage: storage)
    }

    /// The member of the file that holds the value.
    public var key: String { declaration.name }

    /// The value now, for whoever holds the wrapper itself; the same as ``wrappedValue``.
    @inline(__always)
    public var value: Item {
        if declaration.validate == nil, scope == nil, TemporaryScope.current == nil, !MembersView.mayExist,
            let shared = sharedPreference.unmanaged
        {
            do {
                return try shared._withUnsafeGuaranteedRef { preference throws(NotReady) in
                    try preference.live.item(orIfAbsent: declaration.defaultItem)
                }
            } catch {}  // it will be by the next time
        }
        return itemMadeReady()
    }

    /// The value now: what is stored, or the default. Reads memory; only the first use of a file reads that.
    public var wrappedValue: Item {
        get { value }
        @available(
            *, unavailable, message: "use $property.set(_:), or $property.update { } to change it in place: x += 1 would be two steps")
        set { set(newValue) }  // a protocol that demands a setter leads here
    }

    /// The wrapper itself, which has the operations.
    public var projectedValue: StoredValue { self }

    /// Where the value comes from: the file, the defaults below it, or the code. What is stored there may be broken, and
    /// the default read in its place, which ``repairs`` tells.
    ///
    /// Observers of the property are told of this, too, so also when the value stays the same; ``values`` is not.
    public var source: ValueSource {
        let preference = livePreference
        preference.live.noteAccess()
        return preference.store.source(key)
    }

    /// Whether something is stored under the key in the file itself, a stored nil included; false where the value comes
    /// from the system-wide defaults or from the code.
    ///
    /// Observers of the property are told of this, too, so also when what is stored is the default; ``values`` is not.
    public var isStored: Bool {
        let preference = livePreference
        preference.live.noteAccess()
        return preference.store.own(key) != nil
    }

    /// The parts of the stored value that are broken, and what is read in their place; not those that are only missing. The file
    /// keeps them as they are until the key is set.
    public var repairs: [Repair] {
        let preference = livePreference
        preference.live.noteAccess()
        return read(preference).repairs
    }

    /// Returns when every change before it, of any key in the file, would survive a power cut.
    ///
    /// Throws as ``PreferencesFile/flush()`` does.
    public func flush() async throws(PreferencesError) {
        try await livePreference.store.flush()
    }
}

extension StoredValue where Item: ExpressibleByNilLiteral {
    /// Declares a stored optional whose default is nil.
    public convenience init(
        key: String, formerKeys: [String] = [], decoding: DecodingStrategy = .lenient,
        validate: Validation? = nil, storage: PreferencesFile = .standard
    ) {
        self.init(key: key, default: nil, formerKeys: formerKeys, decoding: decoding, validate: validate, storage: storage)
    }
}
