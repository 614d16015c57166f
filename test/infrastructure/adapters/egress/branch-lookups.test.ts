import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeBranchLookups } from "../../../../infrastructure/adapters/egress/branch-lookups.ts"
import { type Lookup, LookupFailed } from "../../../../infrastructure/adapters/egress/dns.ts"

/** Lookups over a resolver that never answers for names below `hole.test` and fails for names below `none.test`. */
const given = Effect.gen(function* () {
  const asked: Array<string> = []
  const cancelled: Array<string> = []
  const lookup: Lookup = (name) =>
    Effect.suspend(() => {
      asked.push(name)
      if (name.endsWith("none.test")) return Effect.fail(new LookupFailed({ cause: "ENOTFOUND" }))
      return name.endsWith("hole.test") ? Effect.never : Effect.succeed(["203.150.1.1"])
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => void cancelled.push(name))))
  return { asked, cancelled, lookups: yield* makeBranchLookups(lookup) }
})

const startAll = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(effects, (effect) => Effect.forkChild(effect, { startImmediately: true }))

const holes = (count: number) => Array.from({ length: count }, (_, index) => `${index}.hole.test`)

describe("lookups of branches", () => {
  it.effect("that never end leave the lookups of other branches as they are", function* () {
    const { asked, lookups } = yield* given
    yield* startAll(holes(1_000).map((name) => lookups(name, "hostile")))

    const addresses = yield* lookups("shop.test", "honest")

    assert.deepStrictEqual(addresses, ["203.150.1.1"])
    assert.lengthOf(asked.filter((name) => name.endsWith("hole.test")), 16)
  })

  it.effect("that never end leave a permit to every other branch, even when many branches are hostile", function* () {
    const { asked, lookups } = yield* given
    const hostile = yield* startAll(
      Array.from({ length: 40 }, (_, branch) => holes(30).map((name) => lookups(name, `hostile-${branch}`))).flat()
    )
    assert.lengthOf(asked, 128)
    const honest = yield* Effect.forkChild(lookups("shop.test", "honest"), { startImmediately: true })

    // The lookups of one hostile branch end, and the branches without a permit get them in turn.
    yield* Effect.forEach(hostile.slice(0, 30), Fiber.interrupt)

    assert.deepStrictEqual(yield* Fiber.join(honest), ["203.150.1.1"])
  })

  it.effect("fail as busy after three seconds without a permit, and nothing is asked", function* () {
    const { asked, lookups } = yield* given
    yield* startAll(holes(16).map((name) => lookups(name, "branch-1")))
    const waiting = yield* Effect.forkChild(Effect.flip(lookups("shop.test", "branch-1")), { startImmediately: true })

    yield* TestClock.adjust("3 seconds")

    const error = yield* Fiber.join(waiting)
    assert.strictEqual("reason" in error && error.reason, "busy")
    assert.notInclude(asked, "shop.test")
  })

  it.effect("of one name share one query, so that one name occupies one permit", function* () {
    const { asked, lookups } = yield* given
    yield* startAll(Array.from({ length: 40 }, () => lookups("dead.hole.test", "branch-1")))

    assert.deepStrictEqual(yield* lookups("shop.test", "branch-1"), ["203.150.1.1"])
    assert.deepStrictEqual(asked, ["dead.hole.test", "shop.test"])
  })

  it.effect("are cancelled when the last request for them is interrupted", function* () {
    const { cancelled, lookups } = yield* given
    const [first, second] = yield* startAll(
      Array.from({ length: 2 }, () => lookups("dead.hole.test", "branch-1"))
    )
    assert.isDefined(first)
    assert.isDefined(second)

    yield* Fiber.interrupt(first)
    assert.deepStrictEqual(cancelled, [])
    yield* Fiber.interrupt(second)
    assert.deepStrictEqual(cancelled, ["dead.hole.test"])
  })

  it.effect("of a name that failed fail again at once for three seconds, for that branch alone", function* () {
    const { asked, lookups } = yield* given
    const failing = (branchId: string) => Effect.flip(lookups("none.test", branchId))

    yield* failing("branch-1")
    yield* failing("branch-1")
    assert.lengthOf(asked, 1)
    yield* failing("branch-2")
    assert.lengthOf(asked, 2)
    yield* TestClock.adjust("3 seconds")
    yield* failing("branch-1")
    assert.lengthOf(asked, 3)
  })

  it.effect("of a name that was found ask again each time", function* () {
    const { asked, lookups } = yield* given

    yield* lookups("shop.test", "branch-1")
    yield* lookups("shop.test", "branch-1")

    assert.lengthOf(asked, 2)
  })
})
