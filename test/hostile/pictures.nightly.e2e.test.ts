import { assert, layer } from "../support/it.ts"
import { Effect, Fiber } from "effect"
import { randomBytes } from "node:crypto"
import sharp from "sharp"
import { drawSandboxSlip } from "../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { given } from "../e2e/situations.ts"
import { type Answer, newSlip } from "../support/client.ts"
import { type ManyParts, manyParts, needlessParts } from "../infrastructure/adapters/pictures/many-parts.ts"
import { layerRunningService } from "../support/service.ts"

const SIDE = 500

/** Noise, in which the reader searches for a QR code with every pass: it takes many times as long as a slip. */
const noise = Effect.promise(async () => {
  const raw = { width: SIDE, height: SIDE, channels: 1 } as const
  return (await sharp(randomBytes(SIDE * SIDE), { raw }).png().toBuffer()).toString("base64")
})

const slipPicture = Effect.map(drawSandboxSlip(newSlip()), (png) => Buffer.from(png).toString("base64"))

const assertVerified = ({ status, text }: Answer): void => assert.strictEqual(status, 200, text)

layer.live(layerRunningService())("a branch that floods the slip reader", (it) => {
  it.effect("does not delay the pictures of another branch", function* () {
    const attacker = yield* given()
    const other = yield* given()
    const image = yield* noise
    const slips = yield* Effect.forEach([1, 2], () => slipPicture)
    let unanswered = 12
    const flood = yield* Effect.forEach(
      Array.from({ length: unanswered }),
      () =>
        attacker.call("POST", "/v2/decode", { key: attacker.key, body: { image } }).pipe(
          Effect.tap(() => Effect.sync(() => unanswered--)),
          Effect.forkChild({ startImmediately: true })
        )
    )

    for (const image of slips) assertVerified(yield* other.verify(other.key, { image }))

    assert.isAbove(unanswered, 0, "the other branch waited for the whole flood")
    for (const fiber of flood) assert.strictEqual((yield* Fiber.join(fiber)).error?.code, "SLIP_NOT_FOUND")
  })
})

/** A busy machine needs more time for a picture than a minute allows. */
const unlimited = { PICTURE_CPU_SECONDS_PER_MINUTE: "0" }

layer.live(layerRunningService(unlimited))("two branches that send files of many parts", (it) => {
  it.effect("get an answer to each, and other branches are verified meanwhile", function* () {
    const attackers = [yield* given(), yield* given()]
    const other = yield* given()
    const picture = Buffer.from(yield* slipPicture, "base64")
    const readable = yield* Effect.promise(() => manyParts(picture))
    const send = ({ call, key }: typeof other) => ({ bytes, what }: ManyParts) =>
      call("POST", "/v2/decode", { key, body: { image: Buffer.from(bytes).toString("base64") } }).pipe(
        Effect.map(({ error, status }) => `${what}: ${error?.code ?? status}`)
      )
    const flood = yield* Effect.forEach(
      attackers,
      (attacker) =>
        Effect.forEach([...readable, ...needlessParts()], send(attacker), { concurrency: 2 }).pipe(
          Effect.forkChild({ startImmediately: true })
        )
    )

    for (let count = 0; count < 5; count++) {
      assertVerified(yield* other.verify(other.key, { image: yield* slipPicture }))
    }

    for (const fiber of flood) {
      assert.deepStrictEqual(yield* Fiber.join(fiber), [
        ...readable.map(({ what }) => `${what}: 200`),
        ...needlessParts().map(({ what }) => `${what}: INVALID_IMAGE_FORMAT`)
      ])
    }
  })
})

layer.live(layerRunningService({ PICTURE_CPU_SECONDS_PER_MINUTE: "1" }))(
  "a branch that used up its CPU time for pictures",
  (it) => {
    const bodies = (image: string): ReadonlyArray<readonly [path: string, body: object]> => [
      ["/v2/decode", { image }],
      ["/v2/verify/bank", { image }],
      ["/v2/verify/bank/async", { image }],
      ["/v2/verify/bank/batch", { slips: [{ image }] }],
      ["/v1/verify", { image }]
    ]

    it.effect("is refused at every path that reads pictures, while other branches are served", function* () {
      const attacker = yield* given()
      const other = yield* given()
      for (const [path, body] of bodies(yield* noise)) {
        const send = attacker.call("POST", path, { key: attacker.key, body })

        let answer = yield* send
        for (let sent = 1; answer.status !== 429 && sent < 100; sent++) answer = yield* send

        assert.strictEqual(answer.status, 429, `${path}: ${answer.text}`)
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/u, path)
      }
      assertVerified(yield* other.verify(other.key, { image: yield* slipPicture }))
      // Slips without a picture take no time of the reader.
      assertVerified(yield* attacker.verify(attacker.key, newSlip().payload))
    })
  }
)
