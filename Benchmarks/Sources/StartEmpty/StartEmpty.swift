/// Does nothing: what any Swift program costs.
@main
enum StartEmpty {
    static func main() {}
}
