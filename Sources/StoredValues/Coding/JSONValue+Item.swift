extension JSONValue {
    /// The item that a wrapper of this type would read here; nil where it would have to repair something.
    package func item<Item: Decodable>(_ type: Item.Type) -> Item? { try? ItemDecoder.decode(type, from: self) }
}
