import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { JsonObject, RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import { newSlip } from "../../support/client.ts"
import { callerOf, givenVerifier, personal } from "../given-verifier.ts"

const REMARK = "for Khun Ploy, room 1203"

/** A log with every outcome of a verification. */
const allOutcomes = Effect.gen(function* () {
  const given = yield* givenVerifier
  const { bank, verify } = given
  yield* TestClock.setTime(Date.parse("2026-11-21T05:00:00.000Z"))
  const found = bank.answer
  const slips = [newSlip(), newSlip(), newSlip(), newSlip()] as const
  for (const caller of [callerOf(), callerOf(), callerOf({ branchId: "branch-2" })]) {
    yield* verify(slips[0].payload, caller, { remark: REMARK, correlationId: "the-request" })
  }
  const answers = [
    { _tag: "NotFound" },
    { _tag: "Pending", retryAfterSeconds: 1 },
    { _tag: "Unavailable", why: "down", retryAfterSeconds: 1 }
  ] as const
  for (const [index, answer] of answers.entries()) {
    bank.answer = () => Effect.succeed(answer)
    yield* Effect.flip(
      verify(slips[index + 1]?.payload ?? "", callerOf(), { remark: REMARK, correlationId: "the-request" })
    )
  }
  yield* Effect.flip(verify("no slip", callerOf(), { remark: REMARK, correlationId: "the-request" }))
  bank.answer = found
  return { ...given, slips, log: yield* given.events }
})

const textOf = (data: JsonObject, field: string): string => {
  const value = data[field]
  return typeof value === "string" ? value : ""
}

const textOfEvent = ({ data, metadata, stream, type }: RecordedEvent): string =>
  JSON.stringify(
    { stream, type, data, metadata }
  )

describe("the events of verifications", () => {
  it.effect("have their actor, time and correlation id", function* () {
    const { log } = yield* allOutcomes
    assert.lengthOf(log, 7)
    for (const { data, metadata, type } of log) {
      assert.deepStrictEqual({ ...metadata }, {
        at: "2026-11-21T05:00:00.000Z",
        correlationId: "the-request",
        causationId: textOf(data, "verificationId"),
        actor: { kind: "branch", id: textOf(data, "branchId") },
        schema: 1
      }, type)
    }
  })

  it.effect("have ids derived from stream, command and index, so that a repeated append counts once", function* () {
    const { log, ports } = yield* allOutcomes
    const { derived } = Context.get(ports, Identifiers)
    for (const { id, metadata, stream } of log) {
      assert.strictEqual(id, derived(`${stream}/${metadata.causationId}/0`))
    }
  })

  it.effect("contain no name, account number, remark, reference or QR text, also not in stream names", function* () {
    const { log, slips } = yield* allOutcomes
    const secrets = [...personal, REMARK, ...slips.flatMap(({ payload, transRef }) => [payload, transRef])]
    const text = log.map(textOfEvent).join("\n")
    for (const secret of secrets) {
      assert.notInclude(text, secret)
      assert.notInclude(text, Buffer.from(secret).toString("base64").slice(0, -4))
    }
  })

  it.effect("can be opened with the key, so that a repeated verification returns the whole transfer", function* () {
    const { slips, verify } = yield* allOutcomes
    const { transfer } = yield* verify(slips[0].payload)
    const text = JSON.stringify(transfer)
    for (const name of personal) assert.include(text, name)
  })

  it.effect("name a slip the same in successes and failures of a service, and its stream by service and digest", function* () {
    const { another, bank, events } = yield* givenVerifier
    const found = bank.answer
    const { payload } = newSlip()
    bank.answer = () => Effect.succeed({ _tag: "NotFound" })
    yield* Effect.flip(another(payload))
    bank.answer = found
    yield* another(payload)

    const [failed, verified] = yield* events
    const digest = textOf(failed?.data ?? {}, "slipDigest")
    assert.match(digest, /^[0-9a-f]{32}$/u)
    assert.strictEqual(verified?.stream, `slip-service-1-${digest}`)
  })

  it.effect("are appended once for a repeated verification", function* () {
    const { events, verify } = yield* givenVerifier
    const { payload } = newSlip()
    const shop = callerOf({ quota: 1 })
    const verificationId = "00000000-0000-4000-8000-000000000001"

    const first = yield* verify(payload, shop, { verificationId })
    const again = yield* verify(payload, shop, { verificationId })

    assert.lengthOf(yield* events, 1)
    assert.deepStrictEqual(again, first)
  })

  it.effect("of a slip that is verified a hundred times have the right count", function* () {
    const { verify } = yield* givenVerifier
    const { payload } = newSlip()
    for (let count = 1; count <= 100; count++) {
      assert.strictEqual((yield* verify(payload)).duplicate?.count ?? 1, count)
    }
  })
})
