import { assert, describe, it } from "../../../../support/it.ts"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { gatewayFailed, type GatewayFailure } from "../../../../../infrastructure/adapters/banks/upstream/gateway.ts"
import { type AccessToken, makeTokens } from "../../../../../infrastructure/adapters/banks/upstream/tokens.ts"

/** Tokens whose requests wait until the test decides their result. */
const given = Effect.gen(function* () {
  const grants: Array<Deferred.Deferred<AccessToken, GatewayFailure>> = []
  const tokens = yield* makeTokens(Effect.suspend(() => {
    const grant = Deferred.makeUnsafe<AccessToken, GatewayFailure>()
    grants.push(grant)
    return Deferred.await(grant)
  }))
  const waiting = Effect.forkChild(Effect.exit(tokens.current), { startImmediately: true })
  const grant = (lifetimeSeconds: number | undefined) => {
    const last = grants.at(-1)
    return last === undefined
      ? Effect.die("no token was requested")
      : Deferred.succeed(last, { token: `token-${grants.length}`, lifetimeSeconds })
  }
  const refuse = Effect.suspend(() => {
    const last = grants.at(-1)
    return last === undefined ? Effect.die("no token was requested") : Deferred.fail(last, gatewayFailed("down"))
  })
  return { grant, grants, refuse, tokens, waiting }
})

describe("tokens", () => {
  it.effect("are requested once for any number of concurrent callers", function* () {
    const { grant, grants, waiting } = yield* given
    const fibers = yield* Effect.forEach(Array.from({ length: 100 }), () => waiting)
    yield* TestClock.adjust(0)
    assert.lengthOf(grants, 1)
    yield* grant(1_800)

    const exits = yield* Effect.forEach(fibers, Fiber.join)

    assert.isTrue(exits.every((exit) => Exit.isSuccess(exit) && exit.value === "token-1"))
    assert.lengthOf(grants, 1)
  })

  it.effect.each(
    [
      [1_800, 1_740],
      [100, 50],
      [undefined, 240]
    ] as const
  )("with a lifetime of %s seconds are cached for %s", function* ([lifetimeSeconds, cachedSeconds]) {
    const { grant, grants, tokens, waiting } = yield* given
    const first = yield* waiting
    // The lifetime counts from before the request.
    yield* TestClock.adjust("2 seconds")
    yield* grant(lifetimeSeconds)
    yield* Fiber.join(first)

    yield* TestClock.adjust(`${cachedSeconds - 3} seconds`)
    assert.strictEqual(yield* tokens.current, "token-1")
    yield* TestClock.adjust("1 second")
    const next = yield* waiting
    yield* TestClock.adjust(0)
    assert.lengthOf(grants, 2)
    yield* grant(lifetimeSeconds)
    assert.deepStrictEqual(yield* Fiber.join(next), Exit.succeed("token-2"))
  })

  it.effect("are requested again after a failure", function* () {
    const { grant, grants, refuse, waiting } = yield* given
    const fibers = yield* Effect.forEach([1, 2, 3], () => waiting)
    yield* TestClock.adjust(0)
    yield* refuse
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    assert.isTrue(exits.every(Exit.isFailure))

    const later = yield* waiting
    yield* TestClock.adjust(0)
    yield* grant(1_800)
    assert.deepStrictEqual(yield* Fiber.join(later), Exit.succeed("token-2"))
    assert.lengthOf(grants, 2)
  })

  it.effect("arrive for the next caller when earlier callers were interrupted", function* () {
    const { grant, grants, tokens, waiting } = yield* given
    const impatient = yield* waiting
    yield* TestClock.adjust(0)
    yield* Fiber.interrupt(impatient)
    yield* grant(1_800)
    yield* TestClock.adjust(0)

    assert.strictEqual(yield* tokens.current, "token-1")
    assert.lengthOf(grants, 1)
  })
})
