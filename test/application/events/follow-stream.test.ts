import { assert, describe, it } from "../../support/it.ts"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { ifKnown, makeFollower } from "../../../application/events/follow-stream.ts"
import { handleCommand } from "../../../application/events/handle-command.ts"
import { consoleSessions, streamOf } from "../../../domain/events/aggregates.ts"
import { EventStoreError } from "../../../ports/event-store.ts"
import { noFaults } from "../../support/faulty-event-store.ts"
import { byService } from "../given-intake.ts"
import { layerPorts } from "../../support/ports.ts"

const stream = streamOf.consoleSessions()

/** The epoch of the sessions that a follower knows, a command that begins the next one, and what is logged. */
const given = Effect.gen(function* () {
  const faults = noFaults()
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${message}`))])
  const ports = yield* Layer.build(Layer.merge(layerPorts(faults), logger))
  const follower = Effect.map(yield* makeFollower(consoleSessions, stream), ({ epoch }) => epoch)
  let ends = 0
  return {
    epoch: Effect.provide(follower, ports),
    endAll: Effect.suspend(() => {
      ends += 1
      const command = { _tag: "EndAllSessions", epoch: ends, at: "2026-11-21T05:00:00.000Z" } as const
      return handleCommand(consoleSessions, stream, command, byService(`end-${ends}`, 0))
    }).pipe(Effect.provide(ports)),
    faults,
    logged
  }
})

const cause = new Error("the disk lies")

const failWith = (reason: EventStoreError["reason"]) => () =>
  Effect.fail(new EventStoreError({ operation: "readStream", reason, cause }))

const none = () => Effect.void

describe("a follower of a stream", () => {
  it.effect("keeps the state that it read last while the stream cannot be read", function* () {
    const { endAll, epoch, faults } = yield* given
    yield* endAll
    assert.strictEqual(yield* epoch, 1)
    faults.read = failWith("unavailable")
    assert.strictEqual(yield* epoch, 1)
    faults.read = none
    yield* endAll
    assert.strictEqual(yield* epoch, 2)
  })

  it.effect("logs once that the stream cannot be read, and once that it is read again", function* () {
    const { endAll, epoch, faults, logged } = yield* given
    yield* endAll
    yield* epoch
    assert.isEmpty(logged)
    faults.read = failWith("corrupt")
    yield* epoch
    yield* epoch
    assert.lengthOf(logged, 1)
    assert.match(logged[0] ?? "", /^Warn The stream console-sessions cannot be read.*EventStoreError/u)
    faults.read = none
    yield* epoch
    yield* epoch
    assert.deepStrictEqual(logged.slice(1), ["Info The stream console-sessions is read again"])
  })

  it.effect("fails with the reason and the cause of the store before it has read a state", function* () {
    const { epoch, faults } = yield* given
    faults.read = failWith("corrupt")
    const error = yield* Effect.flip(epoch)
    assert.deepStrictEqual([error.reason, error.cause], ["corrupt", cause])
    assert.isUndefined(yield* ifKnown(epoch))
    faults.read = () => Effect.never
    const waiting = yield* Effect.forkChild(Effect.flip(epoch), { startImmediately: true })
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(waiting)).reason, "timeout")
  })
})
