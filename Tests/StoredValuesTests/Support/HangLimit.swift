import Testing

/// After how long something that was waited for counts as hung. Only a failure waits so long, and no machine is so slow.
let hangLimit = Duration.seconds(600)

extension Trait where Self == TimeLimitTrait {
    /// Ends what hangs. The turns of other heavy tests count, so it is longer than all tests together take anywhere.
    static var hangLimit: TimeLimitTrait { .timeLimit(.minutes(60)) }
}
