public import Observation
import StoredValuesSupport

/// A live value, stored in a preferences file: every reader sees every change.
///
/// ```swift
/// @StoredValue(key: "fontSize") var fontSize = 14
///
/// $fontSize.set(16)                                    // in the file when this returns
/// for await size in $fontSize.values { print(size) }   // now, then every change
/// ```
///
/// All wrappers of one key in one file share one value, whatever instance, thread or task they are used from; each has its own
/// default while nothing is stored. If one key is declared with two types, the program ends with a message that names the key, the
/// file and both types, as soon as both are in use.
///
/// Changes are synchronous and do not throw. When one returns, every reader sees it and the file is replaced, so killing the
/// process loses nothing; ``flush()`` returns when it would survive a power cut too. A change that cannot be written stays in
/// memory, is logged, is retried, and is thrown by ``flush()``. These change nothing, are logged, and are thrown by
/// ``flush()``:
/// - an item whose `encode(to:)` throws, or that validation refuses
/// - a change that would make the file larger than 64 MiB
/// - a change of a value that a newer version of the program stored (see ``VersionedItem``)
/// - a change of a value that a variable of the environment has (see <doc:ServiceEnvironment>)
///
/// If another program writes something that does not decode or does not pass validation, the last good value stays in use; at a
/// start, when none is known, the default is read. ``repairs`` and the log report it.
///
/// The value that a property is declared with is its default. So is a value passed to a struct's memberwise initialiser, although the call
/// looks as if it were stored: declare an initialiser, such as `init() {}`, or make the property `private`.
///
/// Where Swift does not allow a property wrapper (in a `Sendable` class, for a `static let`), make the value with
/// ``init(key:default:formerKeys:decoding:validate:storage:)`` and read its ``value``, or put the properties into a struct; see
/// <doc:CompileErrors>.
///
/// Declare a key that is used in several places once, as a ``StoredKey``.
@propertyWrapper
public final class StoredValue<Item: StorableItem>: Sendable, Observable {
    /// Returns the item to use in place of the given one, or throws to refuse it.
    public typealias Validation = StoredKey<Item>.Validation

    let storage: PreferencesFile
    /// The temporary storage in which the wrapper was made.
    let scope = TemporaryScope.current
    /// Resolved at the first use, when the application may have named itself.
    @usableFromInline let sharedPreference = SharedReference<LivePreference<Item>>()
    // Fields of the item's size come last, so that the compiler knows the offsets of the others.
    @usableFromInline let declaration: StoredKey<Item>
    /// The interpretation of the content of a revision, if it had to be computed. It identifies the content by revision,
    /// because it must not retain a live value, which may belong to a temporary storage.
    let latest = Guarded<(revision: UInt64, interpretation: Interpretation<Item>)?>(nil)

    /// Declares a stored property with a key that is declared elsewhere: `@StoredValue(.limit) var limit`.
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
    ///   - key: The member of the file that holds the value. Traps if it is empty or begins with `$`.
    ///   - formerKeys: Names that the key had in earlier versions, latest first. While nothing is stored under the key, the
    ///     first stored value among them moves to it, with its version, when the wrapper is first used; a value that a newer
    ///     version of the program wrote stays where it is. A value under the key itself takes precedence.
    ///   - decoding: What to do with stored JSON that does not decode as `Item`.
    ///   - validate: Returns the item to use in place of one that is set or read, or throws to refuse it. It may read other
    ///     values; setting one in it traps. The default is not validated.
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

    /// The value now; the same as ``wrappedValue``, for code that holds the wrapper itself.
    @inlinable @inline(__always)
    public var value: Item {
        if declaration.validate == nil, let shared = sharedPreference.unmanaged,
            let item = shared._withUnsafeGuaranteedRef({ $0.ready.specialReaders.exist ? nil : $0.ready.item() })
        {
            return item ?? declaration.defaultItem
        }
        return itemMadeReady()
    }

    /// The value now: the stored one, or the default. Reads memory; only the first use of a file reads the disk.
    public var wrappedValue: Item {
        @inlinable @inline(__always) get { value }
        @available(
            *, unavailable, message: "use $property.set(_:), or $property.update { } to change it in place: x += 1 would be two steps"
        )
        set { set(newValue) }  // reached through a protocol that requires a setter
    }

    /// The wrapper itself, which provides the operations.
    public var projectedValue: StoredValue { self }

    /// Where the value comes from: the file, a layer below it, or the code. A value that could not be saved yet comes from the
    /// memory, until a retry has saved it. If the value stored there is broken, the default may be read in its place; ``repairs``
    /// lists that.
    ///
    /// Observers of the property also observe this, even when the value stays the same; ``values`` does not.
    public var source: ValueSource {
        let preference = livePreference
        preference.ready.noteAccess()
        return preference.store.view.source(PreferencesKey(key))
    }

    /// Whether something is stored under the key, a stored nil included: in the file itself, or in memory while it cannot be saved
    /// (``source`` is ``ValueSource/memory`` then). False if the value comes from the layers below or the code.
    ///
    /// Observers of the property also observe this, even when the stored value is the default; ``values`` does not.
    public var isStored: Bool {
        let preference = livePreference
        preference.ready.noteAccess()
        return preference.store.own(key) != nil
    }

    /// The parts of the stored value that are broken, and what is read in their place; parts that are only missing are not
    /// listed. The file keeps them until the key is set.
    public var repairs: [Repair] {
        let preference = livePreference
        preference.ready.noteAccess()
        return read(preference).repairs
    }

    /// Returns when every earlier change, of any key in the file, would survive a power cut.
    ///
    /// Throws as ``PreferencesFile/flush()`` does.
    public func flush() async throws(PreferencesError) {
        try await livePreference.store.flush()
    }
}

extension StoredValue: CustomStringConvertible {
    /// The key and the file: the name of one of the application's files, or a path. Reads nothing.
    public var description: String { "StoredValue(key: \"\(key)\", file: \"\(storage.name ?? storage.path)\")" }
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
