#if Fleet
    import Foundation
    import Testing

    @testable import StoredValues
    @testable import StoredValuesFleet

    @Suite("Which of a fleet's secrets a machine takes over")
    struct SecretsVerdictTests {}

    extension SecretsVerdictTests {
        /// A file that says it is of this generation; `other` makes it another one.
        private func file(_ generation: UInt64, other: UInt8 = 0) -> [UInt8] {
            EncryptedFileHeader(
                derivation: KeyDerivation(method: .hkdf, salt: [UInt8](repeating: other, count: 32)), generation: generation,
                seed: [UInt8](repeating: 1, count: 32), keyCheck: [UInt8](repeating: 2, count: 16), bodyByteCount: 4
            ).bytes + [UInt8](repeating: 3, count: 20)
        }

        private func seen(_ epoch: Int, _ generation: UInt64) -> SecretsVerdict.Seen { .init(epoch: epoch, generation: generation) }

        private func verdict(_ bytes: [UInt8]?, epoch: Int = 0, mirrored: [UInt8]?, seen: SecretsVerdict.Seen?) -> SecretsVerdict {
            SecretsVerdict(bytes.map { .init(bytes: $0, epoch: epoch) }, mirrored: mirrored, seen: seen)
        }

        private func isKept(_ verdict: SecretsVerdict, _ words: String) -> Bool {
            if case .keep(let why, _) = verdict { why.contains(words) } else { false }
        }

        @Test("The first ones and later ones are taken over; the same ones are noted once")
        func later() {
            #expect(verdict(file(1), mirrored: nil, seen: nil) == .replace(file(1), seen(0, 1)))
            #expect(verdict(file(9), mirrored: nil, seen: nil) == .replace(file(9), seen(0, 9)))
            #expect(verdict(file(9), mirrored: file(8), seen: seen(0, 8)) == .replace(file(9), seen(0, 9)))
            #expect(verdict(file(9), mirrored: file(9), seen: seen(0, 9)) == .nothing)
            // The agent was ended between the file and the note.
            #expect(verdict(file(9), mirrored: file(9), seen: seen(0, 8)) == .note(seen(0, 9)))
            #expect(verdict(file(9), mirrored: file(9), seen: nil) == .note(seen(0, 9)))
            #expect(verdict(file(10), mirrored: file(9), seen: seen(0, 8)) == .replace(file(10), seen(0, 10)))
        }

        @Test("A confirmation of a time to come counts for nothing, and the next one is of now")
        func future() {
            let now = Date(timeIntervalSince1970: 1000)
            func verdict(_ epoch: Int) -> SecretsVerdict {
                SecretsVerdict(.init(bytes: file(4), epoch: epoch), mirrored: file(9), seen: seen(0, 9), now: now)
            }
            #expect(verdict(1_000_000 + 86_400_000) == .replace(file(4), seen(1_000_000 + 86_400_000, 4)))
            #expect(isKept(verdict(1_000_000 + 86_400_001), "in the future") && isKept(verdict(.max), "in the future"))
            // Where nothing is here yet, that there are some is noted.
            let first = SecretsVerdict(.init(bytes: file(4), epoch: .max), mirrored: nil, seen: nil, now: now)
            guard case .keep(_, noting: seen(0, 0)) = first else { return #expect(Bool(false)) }
            func next(_ last: Int?) -> Int { SecretsEpoch.next(after: last.map { SecretsEpoch(number: $0) }, at: now).number }
            #expect(next(nil) == 1_000_000 && next(7) == 1_000_000 && next(1_000_000) == 1_000_001 && next(2_000_000) == 2_000_001)
            #expect(next(.max) == 1_000_000)
        }

        @Test("Older ones, and other ones of the same generation, are not, and the words say so")
        func older() {
            #expect(isKept(verdict(file(8), mirrored: file(9), seen: seen(0, 9)), "(generation 8, seen 9)"))
            #expect(isKept(verdict(file(9, other: 1), mirrored: file(9), seen: seen(0, 9)), "secret confirm"))
            #expect(isKept(verdict(file(8), mirrored: file(9), seen: nil), "(generation 8, seen 9)"))
            #expect(isKept(verdict(file(9), mirrored: file(10), seen: seen(0, 8)), "(generation 9, seen 10)"))
            #expect(isKept(verdict(file(8), mirrored: nil, seen: seen(0, 9)), "(generation 8, seen 9)"))
            #expect(isKept(verdict(file(8), mirrored: file(3), seen: seen(0, 9)), "(generation 8, seen 9)"))
        }

        @Test("Once older ones were refused, what follows them counts after a confirmation only; the ones that are here end that")
        func following() {
            var refused = seen(0, 9)
            refused.hasRefusedOlder = true
            guard case .keep(_, noting: refused) = verdict(file(8), mirrored: file(9), seen: seen(0, 9)) else { return #expect(Bool(false)) }
            guard case .keep(_, noting: nil) = verdict(file(8), mirrored: file(9), seen: refused) else { return #expect(Bool(false)) }
            #expect(isKept(verdict(file(10), mirrored: file(9), seen: refused), "secret confirm"))
            #expect(isKept(verdict(file(99), mirrored: nil, seen: refused), "secret confirm"))
            #expect(verdict(file(10), epoch: 70, mirrored: file(9), seen: refused) == .replace(file(10), seen(70, 10)))
            #expect(verdict(file(9), mirrored: file(9), seen: refused) == .note(seen(0, 9)))
            #expect(SecretsVerdict.Seen(parsing: refused.bytes) == refused)
        }

        @Test("After a confirmation older ones are taken over, and none that are older than those")
        func confirmed() {
            #expect(verdict(file(4), epoch: 70, mirrored: file(9), seen: seen(0, 9)) == .replace(file(4), seen(70, 4)))
            #expect(verdict(file(4), epoch: 70, mirrored: file(9), seen: nil) == .replace(file(4), seen(70, 4)))
            #expect(verdict(file(9), epoch: 70, mirrored: file(9), seen: seen(0, 9)) == .note(seen(70, 9)))
            #expect(isKept(verdict(file(3), epoch: 70, mirrored: file(4), seen: seen(70, 4)), "(generation 3, seen 4)"))
            // The confirmation itself was lost, by a backup from before it.
            #expect(isKept(verdict(file(99), epoch: 0, mirrored: file(4), seen: seen(70, 4)), "secret confirm"))
            #expect(isKept(verdict(file(99), epoch: 69, mirrored: file(4), seen: seen(70, 4)), "secret confirm"))
        }

        @Test("The file that is here does not count in an earlier epoch, nor if it is older than what was seen: what was seen is never lowered")
        func lowered() {
            var refused = seen(70, 10)
            refused.hasRefusedOlder = true
            for (epoch, bytes) in [(0, file(10)), (69, file(10)), (70, file(5))] {
                guard case .keep(_, noting: nil) = verdict(bytes, epoch: epoch, mirrored: bytes, seen: refused),
                    case .keep(_, noting: refused) = verdict(bytes, epoch: epoch, mirrored: bytes, seen: seen(70, 10))
                else { return #expect(Bool(false), "\(epoch)") }
            }
            #expect(verdict(file(10), epoch: 70, mirrored: file(10), seen: refused) == .note(seen(70, 10)))
            // An older file was restored and confirmed; then somebody replays what was there before.
            var mirrored: [UInt8]?, noted: SecretsVerdict.Seen?
            for (generation, epoch) in [(10, 0), (20, 0), (10, 70), (20, 0), (10, 0), (20, 0)] {
                switch verdict(file(UInt64(generation)), epoch: epoch, mirrored: mirrored, seen: noted) {
                case .nothing, .keep(_, nil): break
                case .note(let new), .keep(_, let new?): noted = new
                case .replace(let bytes, let new): (mirrored, noted) = (bytes, new)
                }
            }
            #expect(mirrored == file(10) && noted == refused)
        }

        @Test("A file that is gone, damaged or older than what was seen here is brought back by the one that was seen")
        func healed() {
            for broken in [nil, [], [1, 2, 3], Array(file(9).dropLast()), file(5)] {
                #expect(verdict(file(9), mirrored: broken, seen: seen(0, 9)) == .replace(file(9), seen(0, 9)))
                #expect(verdict(file(10), mirrored: broken, seen: seen(0, 9)) == .replace(file(10), seen(0, 10)))
            }
        }

        @Test("A cluster without secrets takes none away, nor does one with something else in their place")
        func nothing() {
            #expect(verdict(nil, mirrored: nil, seen: nil) == .nothing)
            #expect(isKept(verdict(nil, mirrored: file(9), seen: seen(0, 9)), "has no secrets any more"))
            #expect(isKept(verdict(nil, mirrored: nil, seen: seen(0, 9)), "has no secrets any more"))
            for wrong in [[], [0], Array("{}".utf8), Array(file(9).dropLast()), file(9) + [0]] {
                #expect(isKept(verdict(wrong, mirrored: file(9), seen: seen(0, 9)), "is not an encrypted file"))
                #expect(isKept(verdict(wrong, mirrored: nil, seen: seen(0, 9)), "is not an encrypted file"))
                // That there are some is noted, so that programs do not take it that there are none.
                guard case .keep(_, noting: seen(0, 0)) = verdict(wrong, mirrored: nil, seen: nil) else { return #expect(Bool(false)) }
            }
        }

        @Test(
            "What was seen reads back, and anything else in its file is nothing",
            arguments: [
                "", "{", "[]", "{}", #"{"epoch": 1}"#, #"{"epoch": "1", "generation": "2"}"#, #"{"epoch": 1, "generation": 2}"#,
                #"{"epoch": 1, "generation": "-2"}"#, #"{"epoch": 1, "generation": "18446744073709551616"}"#,
            ])
        func file(wrong: String) {
            for seen in [seen(0, 0), seen(1_795_000_000_000, .max)] { #expect(SecretsVerdict.Seen(parsing: seen.bytes) == seen) }
            #expect(SecretsVerdict.Seen(parsing: Array(wrong.utf8)) == nil)
        }

        @Test("The record of a confirmation reads back, and anything else is none")
        func epoch() {
            #expect(SecretsEpoch(SecretsEpoch(number: 12).data(writer: "ann", time: "t"))?.number == 12)
            for wrong in ["", "12", "{}", #"{"epoch": -1}"#, #"{"epoch": "12"}"#, #"{"epoch": 1.5}"#] { #expect(SecretsEpoch(Data(wrong.utf8)) == nil) }
        }
    }
#endif
