extension Array where Element: Equatable {
    /// The list without `element`, or with it at the end if it was not in it.
    func togglingPresence(of element: Element) -> [Element] {
        let others = filter { $0 != element }
        return others.count < count ? others : self + [element]
    }
}
