extension RangeReplaceableCollection where Element: Equatable {
    /// The collection without `element`, or with it appended if it was not in it.
    func togglingPresence(of element: Element) -> Self {
        var others = filter { $0 != element }
        if others.count == count { others.append(element) }
        return others
    }

    /// The collection with `replacement` in place of every `element`.
    func replacing(every element: Element, with replacement: Element) -> Self {
        Self(lazy.map { $0 == element ? replacement : $0 })
    }
}
