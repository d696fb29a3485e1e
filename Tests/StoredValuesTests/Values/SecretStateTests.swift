import Testing

@testable import StoredValues

/// Every transition, without a keyring, a thread or a clock.
@Suite("The life of a secret, event by event")
struct SecretStateTests {
    private let one = Waiter(), two = Waiter(), three = Waiter()
    private let old = Content.value("old", Secret("old".utf8))
    private let new = Content.value("new", Secret("new".utf8))
    private let ours = Content.value("ours", Secret("ours".utf8))
}

extension SecretStateTests {
    private typealias State = SecretState<String>
    private typealias Content = SecretContent<String>

    private func expect(
        _ actions: [State.Action], _ expected: [State.Action] = [], _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(actions == expected, comment, sourceLocation: sourceLocation)
    }

    private func ask(_ state: inout State, inBackground: Bool = false) throws -> State.Question {
        let question = state.questionBegan(inBackground: inBackground)
        return try #require(question)
    }

    /// A secret of which `content` is known.
    private func known(_ content: Content) throws -> State {
        var state = State()
        let question = try ask(&state)
        expect(state.answered(content, to: question), [.publish(content)])
        return state
    }

    // MARK: Getters

    @Test("The first getter has the keyring asked, and is woken when its answer is published; later ones do not wait")
    func firstGetter() throws {
        var state = State()
        expect(state.get(one), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true)
        expect(state.answered(old, to: question), [.publish(old), .wake([one], nil)])
        #expect(state.content == old)
        expect(state.get(two), [.wake([two], nil)])
        expect(state.readIfUnanswered())
    }

    @Test("Getters and readers that come during a read share it")
    func sharedRead() throws {
        var state = State()
        expect(state.readIfUnanswered(), [.read(after: .zero)])
        expect(state.get(one))
        let question = try ask(&state, inBackground: true)
        expect(state.get(two))
        expect(state.readIfUnanswered())
        expect(state.answered(.absent, to: question), [.publish(.absent), .wake([one, two], nil)])
    }

    @Test("A getter continues with whatever answer comes first, that of its read or another")
    func otherAnswer() throws {
        var state = State()
        expect(state.get(one), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true), load = try ask(&state)
        expect(state.answered(new, to: load), [.publish(new), .wake([one], nil)])
        expect(state.answered(new, to: question))
    }

    @Test("A getter waits for the end of its read where another call learns only that the keyring is unavailable")
    func otherFailure() throws {
        var state = State()
        expect(state.get(one), [.read(after: .zero)])
        let load = try ask(&state), question = try ask(&state, inBackground: true)
        expect(state.answered(.unavailable(.locked), to: load), [.publish(.unavailable(.locked))])
        expect(state.answered(old, to: question), [.publish(old), .wake([one], nil)])
    }

    @Test("While a getter's time is over, the secret is unavailable; the answer is of use when it comes")
    func gaveUp() throws {
        let timedOut = Content.unavailable(.timedOut(after: .seconds(5)))
        var state = State()
        expect(state.get(one), [.read(after: .zero)])
        expect(state.get(two))
        let question = try ask(&state, inBackground: true)
        expect(state.gaveUp(after: .seconds(5)), [.publish(timedOut)])
        expect(state.gaveUp(after: .seconds(5)))
        expect(state.get(three), [.wake([three], nil)])
        expect(state.readIfUnanswered())
        expect(state.answered(old, to: question), [.publish(old), .wake([one, two], nil)])
        expect(state.gaveUp(after: .seconds(5)))
    }

    @Test("A read that is cancelled has learnt nothing, and its getters continue without a value", arguments: [true, false])
    func cancelledRead(isFirst: Bool) throws {
        var state = isFirst ? State() : try known(.unavailable(.locked))
        expect(isFirst ? state.get(one) : state.readIfUnanswered(), [.read(after: .zero)])
        let before = state.content, question = try ask(&state, inBackground: true)
        expect(state.answered(.unavailable(.cancelled), to: question), isFirst ? [.wake([one], nil)] : [])
        #expect(state.content == before)
        let load = try ask(&state)
        expect(state.answered(.unavailable(.cancelled), to: load))
        #expect(state.content == before)
        expect(state.readIfUnanswered(), [.read(after: .zero)])
    }

    @Test("An equal answer is published once")
    func equalAnswer() throws {
        for content in [old, .absent, .unavailable(.locked)] {
            var state = try known(content)
            let question = try ask(&state)
            expect(state.answered(content, to: question))
        }
    }

    // MARK: Two requests

    @Test("Of two answers that to the later request counts")
    func laterAnswer() throws {
        var state = State()
        var questions = try [ask(&state), ask(&state)]
        expect(state.answered(old, to: questions[0]), [.publish(old)])
        expect(state.answered(new, to: questions[1]), [.publish(new)])
        // The other way round.
        questions = try [ask(&state), ask(&state)]
        expect(state.answered(ours, to: questions[1]), [.publish(ours)])
        expect(state.answered(old, to: questions[0]), [.reply(ours), .read(after: .zero)])
        #expect(state.content == ours)
    }

    @Test("What came too late is no answer where the keyring gave none", arguments: [true, false])
    func lateFailure(isLateOne: Bool) throws {
        let failure = Content.unavailable(.noSecretService)
        var state = State()
        let first = try ask(&state), second = try ask(&state)
        expect(state.answered(isLateOne ? old : failure, to: second), [.publish(isLateOne ? old : failure)])
        expect(state.answered(isLateOne ? failure : old, to: first))
    }

    @Test("A background read that comes too late is repeated")
    func outdatedRead() throws {
        var state = State()
        expect(state.readIfUnanswered(), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true), load = try ask(&state)
        expect(state.answered(new, to: load), [.publish(new)])
        expect(state.answered(old, to: question), [.read(after: .milliseconds(10))])
        let again = try ask(&state, inBackground: true)
        expect(state.answered(new, to: again))
        #expect(state.content == new)
    }

    // MARK: Changes by others

    @Test("Hints that come while it is read lead to one more read, however many they are")
    func hints() throws {
        var state = try known(old)
        expect(state.heard(.anySecret), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true)
        for _ in 0..<3 { expect(state.heard(.secret(SecretIdentifier(service: "s", account: "a")))) }
        expect(state.answered(old, to: question), [.read(after: .zero)])
        let again = try ask(&state, inBackground: true)
        expect(state.answered(new, to: again), [.publish(new)])
    }

    @Test("A lock drops the copy at once, and another collection may be open; unlocking brings the value back")
    func locking() throws {
        var state = try known(old)
        expect(state.heard(.locked), [.publish(.unavailable(.locked)), .read(after: .zero)])
        let question = try ask(&state, inBackground: true)
        expect(state.answered(.unavailable(.locked), to: question))
        expect(state.heard(.unlocked), [.read(after: .zero)])
        let again = try ask(&state, inBackground: true)
        expect(state.answered(old, to: again), [.publish(old)])
    }

    @Test("An answer that was asked for before the lock is not put over it")
    func answerBeforeLock() throws {
        var state = try known(old)
        let load = try ask(&state)
        expect(state.heard(.locked), [.publish(.unavailable(.locked)), .read(after: .zero)])
        expect(state.answered(old, to: load))
        #expect(state.content == .unavailable(.locked))
    }

    @Test("A keyring whose program has ended is asked when it is back, or by somebody, but not because it ended")
    func restart() throws {
        var state = try known(old)
        expect(state.heard(.unavailable(.noSecretService)), [.publish(.unavailable(.noSecretService))])
        expect(state.heard(.unlocked), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true)
        expect(state.answered(old, to: question), [.publish(old)])
        expect(state.heard(.unavailable(.noSessionBus)), [.publish(.unavailable(.noSessionBus))])
        expect(state.readIfUnanswered(), [.read(after: .zero)])
    }

    @Test("A keyring whose program ends during a change is unavailable after it, and asked if it is back by then", arguments: [false, true])
    func endDuringChange(isBack: Bool) throws {
        var state = try known(old)
        state.changeBegan()
        expect(state.heard(.unavailable(.noSecretService)), [.publish(.unavailable(.noSecretService))])
        if isBack { expect(state.heard(.unlocked), [.read(after: .zero)]) }
        let end: [State.Action] = isBack ? [] : [.publish(.unavailable(.noSecretService))]
        expect(state.changed(to: new), [.publish(new)] + end)
        #expect(state.content == (isBack ? new : .unavailable(.noSecretService)))
    }

    @Test("A change of a secret that nobody uses concerns nobody")
    func unasked() throws {
        var state = State()
        for change in [KeyringChange.anySecret, .locked, .unlocked, .unavailable(.noSecretService)] { expect(state.heard(change)) }
        expect(state.followed(new))
        #expect(state.content == .unknown)
    }

    @Test("What a wrapper of another type has stored is known at once, if it decodes, and looked after")
    func followed() throws {
        var state = try known(old)
        expect(state.followed(new), [.publish(new), .read(after: .zero)])
        state = try known(old)
        expect(state.followed(.absent), [.publish(.absent), .read(after: .zero)])
        state = try known(old)
        expect(state.followed(nil), [.read(after: .zero)])
    }

    // MARK: A keyring that does not answer

    @Test(
        "One that does not answer, or fails for a moment, is asked again by itself, after a second, then later and later, at least once a minute",
        arguments: [
            KeyringError.timedOut(after: .seconds(1)), .other(domain: "file", code: 24, message: "m"),
            .other(domain: "system", code: 24, message: "m"), .other(domain: "FleetKeyring", code: 1, message: "m"),
        ])
    func hang(error: KeyringError) throws {
        let failure = Content.unavailable(error)
        var state = try known(old)
        let delays = [1, 2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) }
        for (number, delay) in delays.enumerated() {
            let question = try ask(&state, inBackground: number > 0)
            expect(state.answered(failure, to: question), [.retry(after: delay)] + (number == 0 ? [.publish(failure)] : []))
            let load = try ask(&state)
            expect(state.answered(failure, to: load), [], "one retry is under way")
            expect(state.retryIsDue(), [.read(after: .zero)])
        }
        let question = try ask(&state, inBackground: true)
        expect(state.answered(old, to: question), [.publish(old)])
        let load = try ask(&state)
        expect(state.answered(failure, to: load), [.retry(after: .seconds(1)), .publish(failure)])
    }

    @Test("One that says why not is not asked again by itself, nor is one whose user might be asked for a passphrase")
    func noRetry() throws {
        for error in [KeyringError.locked, .dismissed, .wrongKey, .other(domain: "EncryptedFileKey", code: 1, message: "m"), .other(domain: "user's", code: 1, message: "m")] {
            var state = try known(old)
            expect(state.heard(.anySecret), [.read(after: .zero)])
            let question = try ask(&state, inBackground: true)
            expect(state.answered(.unavailable(error), to: question), [.publish(.unavailable(error))])
        }
    }

    // MARK: Changes of ours

    @Test("The outcome of a change is known at once")
    func change() throws {
        for var state in [State(), try known(old), try known(.unavailable(.locked))] {
            state.changeBegan()
            expect(state.changed(to: ours), [.publish(ours)])
            state.changeBegan()
            expect(state.changed(to: .absent), [.publish(.absent)])
            expect(state.readIfUnanswered())
        }
    }

    @Test("During a change nothing is read; what was asked for is read after it", arguments: [true, false])
    func readAfterChange(succeeds: Bool) throws {
        var state = try known(old)
        state.changeBegan()
        for _ in 0..<2 { expect(state.heard(.anySecret)) }
        let read = State.Action.read(after: .zero)
        if succeeds {
            expect(state.changed(to: ours), [.publish(ours), read])
        } else {
            expect(state.changeFailed(.readOnly), [read])
        }
        let question = try ask(&state, inBackground: true)
        expect(state.answered(new, to: question), [.publish(new)])
        state.changeBegan()
        expect(state.changed(to: ours), [.publish(ours)], "nobody has asked")
    }

    @Test("A read that a change outdated is repeated after the change, not beside it")
    func changeDuringRead() throws {
        var state = try known(old)
        expect(state.heard(.anySecret), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true), load = try ask(&state)
        state.changeBegan()
        expect(state.answered(new, to: question))
        expect(state.changed(to: ours), [.publish(ours), .read(after: .milliseconds(10))])
        expect(state.answered(new, to: load), [.reply(ours)], "the read under way is repeated anyway")
        #expect(state.content == ours)
    }

    @Test("What is asked during a change may be from before or after it: it is returned, not published")
    func askedDuringChange() throws {
        var state = try known(old)
        state.changeBegan()
        let load = try ask(&state), late = try ask(&state)
        expect(state.answered(new, to: load))
        expect(state.changed(to: ours), [.publish(ours)])
        expect(state.answered(old, to: late))
        #expect(state.content == ours)
    }

    @Test("A read that would begin during a change is put off: it would only delay it")
    func putOff() throws {
        var state = try known(old)
        expect(state.heard(.anySecret), [.read(after: .zero)])
        state.changeBegan()
        let putOff = state.questionBegan(inBackground: true) == nil
        #expect(putOff)
        expect(state.heard(.anySecret))
        expect(state.changed(to: ours), [.publish(ours), .read(after: .milliseconds(10))])
        let question = try ask(&state, inBackground: true)
        expect(state.answered(ours, to: question))
    }

    @Test("The more reads in a row were outdated by changes, the longer the next one is put off, to 200 ms")
    func rest() throws {
        var state = try known(old)
        expect(state.heard(.anySecret), [.read(after: .zero)])
        var rests: [Duration] = []
        for _ in 0..<100 {
            let question = try ask(&state, inBackground: true)
            state.changeBegan()
            expect(state.answered(new, to: question))
            for case .read(let rest) in state.changed(to: ours) { rests.append(rest) }
        }
        #expect(rests.count == 100 && rests.first == .milliseconds(10) && rests.last == .milliseconds(200))
        #expect(rests == rests.sorted())
        let question = try ask(&state, inBackground: true)
        expect(state.answered(ours, to: question))
        expect(state.heard(.anySecret), [.read(after: .zero)])
    }

    @Test("Where nothing is known, a first getter waits for no change: it is read beside it")
    func getterBesideChange() throws {
        var state = State()
        state.changeBegan()
        expect(state.get(one), [.read(after: .zero)])
        expect(state.get(two))
        let question = try ask(&state, inBackground: true)
        expect(state.answered(old, to: question), [.publish(old), .wake([one, two], nil)])
        expect(state.changed(to: ours), [.publish(ours)])
    }

    @Test("Where nothing is known, news that come during a change are read after it too: they may be newer")
    func newsDuringFirstChange() throws {
        var state = State()
        state.changeBegan()
        expect(state.heard(.anySecret), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true)
        expect(state.answered(new, to: question), [.publish(new)])
        expect(state.changed(to: ours), [.publish(ours), .read(after: .zero)])
        let again = try ask(&state, inBackground: true)
        expect(state.answered(new, to: again), [.publish(new)])
        state.changeBegan()
        expect(state.changed(to: ours), [.publish(ours)], "there are no news")
    }

    @Test("A change that ends first wakes the getters; the read beside it is repeated")
    func changeBeforeGetter() throws {
        var state = State()
        state.changeBegan()
        expect(state.get(one), [.read(after: .zero)])
        let question = try ask(&state, inBackground: true)
        expect(state.changed(to: ours), [.publish(ours), .wake([one], nil)])
        expect(state.answered(old, to: question), [.read(after: .milliseconds(10))])
        #expect(state.content == ours)
    }

    @Test(
        "A change that fails is judged by its reason",
        arguments: [
            (KeyringError.tooLarge, false, false), (.notDecodable, false, false), (.notEncodable, false, false), (.notStored, false, false),
            (.readOnly, false, false), (.cancelled, true, false), (.timedOut(after: .seconds(5)), true, false),
            (.other(domain: "d", code: 1, message: "m"), true, false), (.locked, true, true), (.noSecretService, true, true),
            (.accessDenied, true, false), (.damaged(path: "p"), true, true), (.wrongKey, false, true), (.dismissed, false, true),
        ])
    func failedChange(error: KeyringError, isRead: Bool, isUnavailable: Bool) throws {
        for hasBegun in [true, false] {
            var state = try known(old)
            let load = try ask(&state)
            if hasBegun { state.changeBegan() }
            let read: [State.Action] = isRead ? [.read(after: .zero)] : []
            expect(state.changeFailed(error), (isUnavailable ? [.publish(.unavailable(error))] : []) + read)
            guard hasBegun, !isUnavailable else { continue }
            expect(state.answered(new, to: load), [.reply(old)] + (isRead ? [] : [.read(after: .zero)]), "it is from before the change")
        }
    }

    @Test("A secret that cannot be changed, but read, stays at hand, or is back without a getter")
    func refusedChange() throws {
        for (error, isKept) in [(KeyringError.accessDenied, true), (.locked, false)] {
            var state = try known(old)
            state.changeBegan()
            expect(state.changeFailed(error), (isKept ? [] : [.publish(.unavailable(error))]) + [.read(after: .zero)])
            let question = try ask(&state, inBackground: true)
            expect(state.answered(old, to: question), isKept ? [] : [.publish(old)])
        }
    }

    // MARK: Turns

    @Test("Callers have their turn one after another, in the order in which they came", arguments: [State.Line.changes, .updates])
    fileprivate func turns(_ line: SecretState<String>.Line) {
        var state = State()
        expect(state.enter(line, one), [.wake([one], nil)])
        expect(state.enter(line, two))
        expect(state.enter(line, three))
        expect(state.leave(line, one, after: nil), [.wake([two], nil)])
        expect(state.leave(line, two, after: .locked), [.wake([three], nil)])
        expect(state.enter(line, one))
        expect(state.leave(line, three, after: nil), [.wake([one], nil)])
        expect(state.leave(line, one, after: nil))
    }

    @Test("A caller that is cancelled while it waits leaves the others their turns")
    func cancelledCaller() {
        var state = State()
        expect(state.enter(.changes, one), [.wake([one], nil)])
        expect(state.enter(.changes, two))
        expect(state.enter(.changes, three))
        expect(state.leave(.changes, two, after: .cancelled))
        expect(state.leave(.changes, one, after: nil), [.wake([three], nil)])
        expect(state.leave(.changes, three, after: .cancelled), [], "it was cancelled when its turn came")
        expect(state.enter(.changes, one), [.wake([one], nil)])
    }

    @Test("Callers behind one that times out fail with it, and the next one is admitted")
    func timedOut() {
        let error = KeyringError.timedOut(after: .seconds(5))
        var state = State()
        for (caller, actions) in [(one, [State.Action.wake([one], nil)]), (two, []), (three, [])] {
            expect(state.enter(.changes, caller), actions)
        }
        expect(state.leave(.changes, one, after: error), [.wake([two, three], error)])
        let next = Waiter()
        expect(state.enter(.changes, next), [.wake([next], nil)])
        for caller in [two, three] { expect(state.leave(.changes, caller, after: error)) }
        expect(state.leave(.changes, next, after: error))
        expect(state.enter(.changes, one), [.wake([one], nil)])
    }

    @Test("Whatever the order of arrivals, ends and cancellations, each caller gets its turn or left before, and none stays")
    func anyOrder() {
        var generator = SeededGenerator(seed: 26)
        for _ in 0..<1000 {
            var state = State()
            var here: [Waiter] = [], running: Waiter?
            func note(_ actions: [State.Action]) {
                for case .wake(let woken, nil) in actions {
                    #expect(running == nil && woken == Array(here.prefix(1)))
                    running = woken.first
                }
            }
            for _ in 0..<20 {
                if Bool.random(using: &generator) {
                    let caller = Waiter()
                    here.append(caller)
                    note(state.enter(.changes, caller))
                } else if let caller = here.randomElement(using: &generator) {
                    here.removeAll { $0 == caller }
                    if running == caller { running = nil }
                    note(state.leave(.changes, caller, after: running == nil ? nil : .cancelled))
                }
                #expect((running == nil) == here.isEmpty)
            }
            while let caller = running {
                (here, running) = (here.filter { $0 != caller }, nil)
                note(state.leave(.changes, caller, after: nil))
            }
            #expect(here.isEmpty)
        }
    }

    @Test("A closure that awaits holds up no change, and reads what is stored by then")
    func changesBesideUpdate() throws {
        var state = try known(old)
        expect(state.enter(.updates, one), [.wake([one], nil)])
        let before = try ask(&state)
        expect(state.answered(old, to: before))
        expect(state.enter(.changes, two), [.wake([two], nil)], "another's change while the closure awaits")
        state.changeBegan()
        expect(state.changed(to: ours), [.publish(ours)])
        expect(state.leave(.changes, two, after: nil))
        expect(state.enter(.changes, one), [.wake([one], nil)], "the update's own")
        let after = try ask(&state)
        expect(state.answered(ours, to: after))
        expect(state.leave(.changes, one, after: nil))
        expect(state.leave(.updates, one, after: nil))
    }

    @Test("Any change inside the closure of an update of the same secret fails; not once that has ended")
    func updateOfItself() {
        var state = State()
        expect(state.enter(.updates, one, inside: [three]), [.wake([one], nil)], "three is another secret's")
        expect(state.enter(.updates, two, inside: [three, one]), [.wake([two], .updateOfItself)])
        expect(state.leave(.updates, two, after: .updateOfItself))
        expect(state.enter(.changes, two, inside: [one]), [.wake([two], .updateOfItself)], "a set, after which the closure would run again")
        expect(state.leave(.changes, two, after: .updateOfItself))
        expect(state.enter(.changes, three), [.wake([three], nil)], "a set elsewhere, and the update's own end")
        expect(state.leave(.changes, three, after: nil))
        expect(state.leave(.updates, one, after: nil))
        for line in [SecretState<String>.Line.updates, .changes] {
            expect(state.enter(line, two, inside: [three, one]), [.wake([two], nil)], "a task that the closure left running")
        }
    }
}
