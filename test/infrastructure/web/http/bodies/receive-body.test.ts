import { assert, describe, it } from "../../../../support/it.ts"
import { Effect } from "effect"
import { PassThrough } from "node:stream"
import { makeBodyBudget } from "../../../../../infrastructure/web/http/bodies/body-budget.ts"
import {
  checkingStart,
  discard,
  inChunks,
  LARGE_BODY_BYTES,
  makeDiscardAllowance,
  ofLength,
  receive
} from "../../../../../infrastructure/web/http/bodies/receive-body.ts"

const MAX_BYTES = 10 * LARGE_BODY_BYTES
const IDLE_MILLIS = 60_000

/** A body that has begun and does not end. */
const begun = (...chunks: ReadonlyArray<Buffer>): PassThrough => {
  const message = new PassThrough({ highWaterMark: MAX_BYTES })
  for (const chunk of chunks) message.write(chunk)
  return message
}

const large = Buffer.alloc(LARGE_BODY_BYTES + 1, "[")
const reservation = () => makeBodyBudget({ total: Infinity, perOwner: Infinity }).reserve("silom")

describe("the beginning of a body", () => {
  for (
    const [name, received] of [["of announced length", () => ofLength(MAX_BYTES)], [
      "in chunks",
      () => inChunks(MAX_BYTES, reservation())
    ]] as const
  ) {
    it.effect(`${name} is refused before the rest has arrived`, function* () {
      const faultOf = (start: Uint8Array) => `${start.length} bytes`
      const message = begun(large)
      const fault = yield* Effect.flip(receive(message, checkingStart(received(), faultOf), IDLE_MILLIS))
      assert.deepInclude(fault, { _tag: "BodyTooComplex", fault: `${large.length} bytes` })
      assert.isTrue(message.isPaused())
    })

    it.effect(`${name} is checked once, when the body is large`, function* () {
      const checked: Array<number> = []
      const faultOf = ({ length }: Uint8Array) => {
        checked.push(length)
        return undefined
      }
      const read = (message: PassThrough) => receive(message, checkingStart(received(), faultOf), IDLE_MILLIS)
      const small = begun(large.subarray(1))
      small.end()
      assert.strictEqual((yield* read(small)).length, LARGE_BODY_BYTES)
      assert.deepStrictEqual(checked, [])

      const message = begun(large, large)
      message.end()
      assert.strictEqual((yield* read(message)).length, 2 * large.length)
      assert.deepStrictEqual(checked, [large.length])
    })
  }
})

describe("a body of announced length", () => {
  for (const size of [1, LARGE_BODY_BYTES, LARGE_BODY_BYTES + 1, 3 * LARGE_BODY_BYTES]) {
    it(`of ${size} bytes is the same in one chunk and in several`, () => {
      const sent = Buffer.from(Array.from({ length: size }, (_, index) => index % 251))
      for (const chunkSize of [size, Math.ceil(size / 2), Math.ceil(size / 7)]) {
        const received = ofLength(size)
        for (let at = 0; at < size; at += chunkSize) {
          assert.isUndefined(received.add(Buffer.from(sent.subarray(at, at + chunkSize))))
        }
        assert.isTrue(sent.equals(received.bytes()))
        assert.deepInclude(received.add(Buffer.from("x")), { _tag: "BodyUnread" })
      }
    })
  }
})

describe("a body that is discarded", () => {
  it.effect("is read on after a refusal", function* () {
    const message = begun(large, large)
    yield* Effect.flip(receive(message, checkingStart(ofLength(MAX_BYTES), () => "refused"), IDLE_MILLIS))
    message.end()
    yield* discard(message, limits)
    assert.isTrue(message.readableEnded)
  })

  const limits = { maxBytes: MAX_BYTES, idleMillis: IDLE_MILLIS, allowance: () => true }

  it.live("ends with the body, a pause, or too many bytes", function* () {
    const ended = begun(large)
    ended.end()
    yield* discard(ended, limits)
    assert.isTrue(ended.readableEnded)
    yield* discard(ended, limits)

    yield* discard(begun(large), { ...limits, idleMillis: 1 })
    yield* discard(begun(large, large), { ...limits, maxBytes: large.length })
  })

  it.live("ends when the allowance of all bodies is used up, which comes back with time", function* () {
    let now = 0
    const allowance = makeDiscardAllowance({ perSecond: 1_000, burst: large.length }, () => now)
    const ended = begun(large)
    ended.end()
    yield* discard(ended, { ...limits, allowance })
    assert.isTrue(ended.readableEnded)

    const refused = begun(large)
    yield* discard(refused, { ...limits, allowance })
    assert.isTrue(refused.isPaused())
    now = 1_000
    assert.isTrue(allowance(1_000))
    assert.isFalse(allowance(1))
  })
})
