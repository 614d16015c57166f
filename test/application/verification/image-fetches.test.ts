import { assert, describe, it } from "../../support/it.ts"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeFairPermits } from "../../../application/fairness/fair-permits.ts"
import { ImageFetches, readImage } from "../../../application/verification/slip-source.ts"
import { Egress, type EgressResponse } from "../../../ports/egress.ts"
import { SlipReader } from "../../../ports/slip-reader.ts"

const response: EgressResponse = { status: 200, headers: {}, body: new Uint8Array(1), hops: [] }

/** A server that answers at `/quick` at once, and at other paths when the test says so. */
const given = Effect.gen(function* () {
  const answers = yield* Deferred.make<EgressResponse>()
  const layer = Layer.mergeAll(
    Layer.mock(Egress, {
      request: ({ url }) => url.endsWith("/quick") ? Effect.succeed(response) : Deferred.await(answers)
    }),
    Layer.mock(SlipReader, {
      read: () => Effect.succeed({ format: "png", width: 1, height: 1, slips: [], texts: [], tookMillis: 1 })
    }),
    Layer.succeed(
      ImageFetches,
      makeFairPermits({ size: 2, perKey: 1, spare: 1, maxWaiting: 8, maxWait: "3 seconds" })
    )
  )
  const read = (branchId: string, path: string) =>
    readImage({ _tag: "ImageUrl", url: `https://shop.example/${path}` }, branchId).pipe(Effect.provide(layer))
  return { read, answer: Deferred.succeed(answers, response) }
})

describe("fetching the pictures of URLs", () => {
  it.effect("delays only the branch whose server is slow", function* () {
    const { answer, read } = yield* given
    const slow = yield* Effect.forkChild(read("slow", "slow"), { startImmediately: true })
    const next = yield* Effect.forkChild(read("slow", "quick"), { startImmediately: true })
    assert.deepStrictEqual((yield* read("other", "quick")).texts, [])
    assert.isUndefined(next.pollUnsafe())

    yield* answer
    yield* Fiber.join(slow)
    assert.deepStrictEqual((yield* Fiber.join(next)).texts, [])
  })

  it.effect("refuses a branch that waits for its own slow servers, as a limit of the branch", function* () {
    const { read } = yield* given
    yield* Effect.forkChild(read("slow", "slow"), { startImmediately: true })
    const refused = yield* Effect.forkChild(Effect.flip(read("slow", "quick")), { startImmediately: true })
    yield* TestClock.adjust("3 seconds")
    assert.deepInclude({ ...(yield* Fiber.join(refused)) }, { _tag: "ReaderUnavailable", reason: "branch-busy" })
  })

  it.effect("refuses a branch that waits for the servers of others, as an overload of the service", function* () {
    const { read } = yield* given
    for (const branchId of ["one", "two", "three"]) {
      yield* Effect.forkChild(read(branchId, "slow"), { startImmediately: true })
    }
    const refused = yield* Effect.forkChild(Effect.flip(read("four", "quick")), { startImmediately: true })
    yield* TestClock.adjust("3 seconds")
    assert.deepInclude({ ...(yield* Fiber.join(refused)) }, { _tag: "ReaderUnavailable", reason: "busy" })
  })
})
