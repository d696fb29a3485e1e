/// A value shared by several readers.
@usableFromInline
// Sound although unchecked: of it and `MemberChange`, the one subclass, only a weak reference changes, which Swift does atomically.
package class Box<Value: Sendable>: @unchecked Sendable {
    @usableFromInline package final let value: Value
    package required init(_ value: Value) { self.value = value }
}
