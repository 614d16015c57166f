import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { treeHeadStream } from "../../../domain/log-proof/pending-block.ts"
import { EventStoreError } from "../../../ports/event-store.ts"
import { Leases } from "../../../ports/leases.ts"
import { appendEvent } from "../../support/event-fixtures.ts"
import { noFaults } from "../../support/faulty-event-store.ts"
import { until } from "../../support/advance-clock.ts"
import { memoryFile, signed, signedAre, startSigner, verifiedLog } from "./given-signer.ts"
import { appendSome, leasesAlwaysHeld } from "../../projections/engine/given-projector.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

const assertWhole = Effect.gen(function* () {
  const verdict = yield* verifiedLog
  assert.deepStrictEqual(verdict.findings, [])
  return verdict
})

describe("signing tree heads", () => {
  test("signs after a number of events, and when the first of fewer events has waited the interval", function* () {
    const signer = yield* startSigner()
    yield* appendSome(13)
    yield* signedAre(1)
    assert.deepInclude((yield* signed)[0], { number: 1, from: 0, count: 10, position: "10/10" })
    yield* TestClock.adjust("58 seconds")
    assert.lengthOf(yield* signed, 1)
    yield* TestClock.adjust("3 seconds")
    yield* signedAre(2)
    // Three events, and the first tree head after them.
    assert.deepInclude((yield* signed)[1], { number: 2, from: 10, count: 14, position: "14/14" })
    assert.deepStrictEqual(signer.file.lines, yield* signed)
    assert.deepInclude(yield* assertWhole, { events: 15, covered: 14, uncovered: 0 })
    assert.deepStrictEqual(signer.logged, [])
  })

  test("signs nothing while all new events are tree heads", function* () {
    yield* startSigner()
    yield* TestClock.adjust("10 minutes")
    assert.lengthOf(yield* signed, 0)
    yield* appendSome(1)
    yield* signedAre(1)
    yield* TestClock.adjust("10 minutes")
    assert.lengthOf(yield* signed, 1)
  })

  test("signs the remaining events when it stops, and continues after a restart", function* () {
    const first = yield* startSigner()
    yield* appendSome(12)
    yield* signedAre(1)
    yield* first.stop
    assert.deepInclude((yield* signed)[1], { number: 2, from: 10, count: 13 })
    yield* appendSome(3)
    const second = yield* startSigner()
    yield* second.stop
    yield* appendSome(25)
    const third = yield* startSigner()
    yield* signedAre(5)
    yield* third.stop
    const verdict = yield* assertWhole
    assert.strictEqual(verdict.uncovered, 0)
    assert.deepStrictEqual(
      (yield* signed).map(({ number }) => number),
      Array.from({ length: verdict.checkpoint?.number ?? 0 }, (_, n) => n + 1)
    )
  })

  test("copies tree heads to the file that a crash or a full disk left out, and all tree heads to a new file", function* () {
    const file = memoryFile()
    file.state.isFull = true
    const signer = yield* startSigner(file)
    yield* appendSome(20)
    yield* signedAre(2)
    assert.lengthOf(file.state.lines, 0)
    assert.match(signer.logged.join("\n"), /level=ERROR.*the disk is full/u)
    file.state.isFull = false
    yield* appendSome(10)
    yield* signedAre(3)
    yield* until(Effect.sync(() => file.state.lines.length === 3))
    yield* signer.stop
    assert.deepStrictEqual(file.state.lines, yield* signed)
    const all = yield* signed
    file.state.lines.pop()
    const again = yield* startSigner(file)
    yield* until(Effect.sync(() => file.state.lines.length === all.length))
    yield* again.stop
    const { file: another } = yield* startSigner()
    yield* until(Effect.sync(() => another.lines.length > 0))
    assert.deepStrictEqual([file.state.lines, another.lines, yield* signed], [all, all, all])
  })

  test("leaves the file of another log unchanged", function* () {
    const file = memoryFile()
    const signer = yield* startSigner(file)
    yield* appendSome(40)
    yield* signedAre(4)
    yield* signer.stop
    yield* Effect.gen(function* () {
      const other = yield* startSigner(file)
      yield* appendSome(20)
      yield* signedAre(2)
      yield* other.stop
      assert.match(
        other.logged.join("\n"),
        /level=ERROR.*(the log does not have it|differs between the file of tree heads and the log)/u
      )
    }).pipe(Effect.provide(layerPorts()))
    assert.deepStrictEqual(file.state.lines, yield* signed)
  })

  test("makes one chain when several processes sign at once", function* () {
    const held = Effect.provideService(Leases, leasesAlwaysHeld)
    const signers = yield* Effect.all([startSigner(), startSigner(), startSigner()]).pipe(held)
    for (let round = 1; round <= 5; round++) {
      yield* appendSome(10)
      yield* signedAre(round)
    }
    yield* Effect.forEach(signers, ({ stop }) => stop, { concurrency: "unbounded" })
    yield* assertWhole
    const numbers = (yield* signed).map(({ number }) => number)
    assert.deepStrictEqual(numbers, numbers.map((_, index) => index + 1))
  })

  it.effect("signs each tree head once although the log fails before or after an append", () => {
    const logFaults = noFaults()
    const unavailable = new EventStoreError({ operation: "append", reason: "unavailable" })
    return Effect.gen(function* () {
      const signer = yield* startSigner()
      logFaults.before = (stream) => stream === treeHeadStream ? Effect.fail(unavailable) : Effect.void
      yield* appendSome(10)
      yield* until(Effect.sync(() => signer.logged.length >= 3))
      logFaults.before = () => Effect.void
      logFaults.after = (appended, stream) =>
        stream === treeHeadStream ? Effect.fail(unavailable) : Effect.succeed(appended)
      yield* signedAre(1)
      logFaults.after = Effect.succeed
      yield* appendSome(10)
      yield* signedAre(2)
      yield* until(Effect.sync(() => signer.file.lines.length === 2))
      yield* assertWhole
      assert.match(signer.logged.join("\n"), /level=WARN.*No tree head could be signed/u)
    }).pipe(Effect.provide(layerPorts(logFaults)))
  })

  test("does not sign after an unreadable tree head", function* () {
    yield* appendEvent(treeHeadStream, "CheckpointSigned", { number: 1 })
    yield* appendSome(30)
    const signer = yield* startSigner()
    yield* until(Effect.sync(() => signer.logged.length > 0))
    assert.match(
      signer.logged.join("\n"),
      /level=ERROR.*no longer signed: event 0 of chain-checkpoints is not tree head 1/u
    )
    yield* signer.stop
    assert.lengthOf(yield* signed, 0)
  })
})
