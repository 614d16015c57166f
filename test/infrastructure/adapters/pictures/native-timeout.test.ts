import { assert, describe, it } from "@effect/vitest"
import sharp from "sharp"
import { withTimeout } from "../../../../infrastructure/adapters/pictures/native-reader.ts"
import { decoding, Undecodable } from "../../../../infrastructure/adapters/pictures/reading.ts"
import { callSecondsOf } from "../../../../infrastructure/adapters/pictures/slip-reader.ts"

const failureOf = (run: () => Promise<unknown>): Promise<unknown> =>
  decoding(run).then(() => undefined, (error) => error)

describe("the timeout of libvips", () => {
  it("is a deadline of the reader and does not make the picture corrupt", async () => {
    // A median of this size takes minutes on any machine.
    const slow = sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: "#123" } }).median(301)
    const error = await failureOf(() => withTimeout(slow, 1, (image) => image.raw().toBuffer()))
    assert.instanceOf(error, Undecodable)
    assert.strictEqual(error.reason, "deadline")
  })

  it.each([[1, 1], [5_000, 5], [5_001, 6], [300_000, 300], [86_400_000, 3_600]])(
    "lasts as long as the deadline of a picture: %i milliseconds, %i seconds",
    (deadlineMillis, seconds) => {
      assert.strictEqual(callSecondsOf(deadlineMillis), seconds)
    }
  )

  it("leaves other errors of libvips as they are", async () => {
    const broken = sharp(Buffer.from("GIF89a"))
    const error = await failureOf(() => withTimeout(broken, 60, (image) => image.raw().toBuffer()))
    assert.instanceOf(error, Undecodable)
    assert.strictEqual(error.reason, "corrupt")
  })
})
