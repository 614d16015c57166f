import { assert, describe, it } from "../../support/it.ts"
import { Effect, Fiber } from "effect"
import { SlipReaderError } from "../../../ports/slip-reader.ts"
import { untilDone } from "../../support/advance-clock.ts"
import { newSlip } from "../../support/client.ts"
import { givenIntake, reading, slipToEnqueue, unitsLeft } from "../given-intake.ts"
import { callerOf } from "../given-verifier.ts"

describe("a picture that is enqueued", () => {
  const picture = slipToEnqueue("", { source: { _tag: "Image", bytes: new Uint8Array([1, 2, 3]) } })

  it.effect("is read at once, and the log has its text and never its bytes", function* () {
    const { enqueue, stubs, sourceOf } = yield* givenIntake
    const { payload } = newSlip()
    stubs.read = () => Effect.succeed(reading("https://promo.example", payload))
    yield* enqueue("job-1", picture)
    assert.deepStrictEqual(yield* sourceOf("job-1"), { payload })
  })

  it.effect.each(
    [
      ["without a QR code", Effect.succeed(reading()), "there is no QR code in the picture"],
      [
        "with another QR code",
        Effect.succeed(reading("https://promo.example")),
        "no QR code in the picture is from a bank slip"
      ]
    ] as const
  )("%s makes a job that ends with that reason", function* ([_, read, why]) {
    const { enqueue, stubs, sourceOf } = yield* givenIntake
    stubs.read = () => read
    yield* enqueue("job-1", picture)
    const source = yield* sourceOf("job-1")
    if (source === undefined || !("fault" in source)) return assert.fail("no fault")
    assert.deepInclude(source.fault, { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" })
    assert.include(source.fault.why, why)
  })

  it.effect("with several slips makes a job that ends with SEVERAL_SLIPS", function* () {
    const { enqueue, stubs, sourceOf } = yield* givenIntake
    stubs.read = () => Effect.succeed(reading(newSlip().payload, newSlip().payload))
    yield* enqueue("job-1", picture)
    const source = yield* sourceOf("job-1")
    if (source === undefined || !("fault" in source)) return assert.fail("no fault")
    const message = "The picture shows more than one slip. Send one picture for each slip"
    assert.deepInclude(source.fault, { code: "SEVERAL_SLIPS", message })
  })

  it.effect("is refused with its index before a unit is reserved when it can't be read", function* () {
    const given = yield* givenIntake
    given.stubs.read = () => Effect.fail(new SlipReaderError({ reason: "corrupt" }))
    const batch = [slipToEnqueue("x"), picture, slipToEnqueue("x"), picture]

    const refused = yield* Effect.flip(given.enqueueBatch("batch-1", batch, callerOf({ quota: 4 })))

    if (refused._tag !== "PicturesUnusable") return assert.fail(refused._tag)
    assert.deepStrictEqual(refused.pictures.map(({ failure, index }) => [index, failure.reason]), [
      [1, "corrupt"],
      [3, "corrupt"]
    ])
    assert.deepStrictEqual(yield* given.events, [])
    assert.strictEqual(yield* unitsLeft(given, 4), 4)
  })

  it.effect("is refused, and reserves no unit, when it could not be read in time", function* () {
    const given = yield* givenIntake
    given.stubs.read = () => Effect.fail(new SlipReaderError({ reason: "deadline" }))

    const refused = yield* Effect.flip(given.enqueue("job-1", picture, callerOf({ quota: 1 })))

    assert.deepInclude({ ...refused }, { _tag: "ReaderUnavailable", reason: "deadline" })
    assert.deepStrictEqual(yield* given.events, [])
    assert.strictEqual(yield* unitsLeft(given, 1), 1)
  })

  it.effect("waits a limited time for a busy reader", function* () {
    const { enqueue, events, stubs } = yield* givenIntake
    let busy = 3
    stubs.read = () =>
      busy-- > 0 ? Effect.fail(new SlipReaderError({ reason: "busy" })) : Effect.succeed(reading(newSlip().payload))
    const accepted = yield* Effect.forkChild(enqueue("job-1", picture))
    yield* untilDone(accepted)
    yield* Fiber.join(accepted)
    assert.lengthOf(yield* events, 1)

    busy = Infinity
    const refused = yield* Effect.forkChild(Effect.flip(enqueue("job-2", picture)))
    yield* untilDone(refused)
    assert.strictEqual((yield* Fiber.join(refused))._tag, "ReaderUnavailable")
  })
})
