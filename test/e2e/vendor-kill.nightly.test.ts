import { assert, layer } from "../support/it.ts"
import { Context, Effect, Exit, Layer, Schema, Scope } from "effect"
import { beginning } from "../../domain/events/recorded-event.ts"
import { replyFields } from "../../domain/slip/gateway-reply.ts"
import { EventStore } from "../../ports/event-store.ts"
import { newSlip } from "../support/client.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { type RunningVendors, startVendorMock } from "../support/vendors/start-vendor-mock.ts"

/** Two vendors of different families, both with free repeats. They are two servers, so that one can be killed. */
class Vendors extends Context.Service<Vendors, {
  readonly first: RunningVendors
  readonly second: RunningVendors
  /** Ends the server of the first vendor and cuts its connections. */
  readonly killFirst: Effect.Effect<void>
}>()("test/Vendors") {}

const CONCURRENCY = 20
const VERIFICATIONS = 1_000
/** The first vendor dies when it has been asked about so many slips. */
const DIES_AFTER = 300
/** Consecutive failures that open a circuit. */
const MAX_FAILURES = 5

const layerVendors = Layer.unwrap(Effect.gen(function* () {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const first = yield* Scope.provide(startVendorMock("http"), scope)
  const second = yield* startVendorMock("http")
  return Layer.merge(
    Layer.succeed(Vendors, { first, second, killFirst: Scope.close(scope, Exit.void) }),
    layerRunningService({
      ...second.env,
      BANK_GATEWAYS: "easyslip,slip2go",
      EASYSLIP_BASE_URL: first.env["EASYSLIP_BASE_URL"] ?? "",
      EASYSLIP_CONCURRENCY: String(CONCURRENCY)
    })
  )
}))

const decodeReply = Schema.decodeUnknownSync(Schema.Struct({ askedBefore: replyFields.askedBefore }))

/** What gateways answered before the one that decided, for every verification. */
const earlierReplies = Effect.gen(function* () {
  const events = yield* (yield* EventStore).readAll({ after: beginning, limit: 10_000 })
  return events.flatMap(({ data, type }) => type === "SlipVerified" ? decodeReply(data).askedBefore ?? [] : [])
})

layer.live(layerVendors)("a vendor that dies in the middle of 1 000 verifications", (it) => {
  it.effect("loses none, is not charged twice, and is left for the second vendor within one circuit", function* () {
    const { first, killFirst, second } = yield* Vendors
    const { call, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService({})
    const account = { limit: VERIFICATIONS, remaining: VERIFICATIONS }
    first.change("easyslip", { account })
    second.change("slip2go", { account })
    let isDead = false
    const verifyOne = Effect.gen(function* () {
      const answer = yield* verify(mainBranch.apiKey, newSlip().payload)
      if (!isDead && first.state("easyslip").charges.asked >= DIES_AFTER) {
        isDead = true
        yield* killFirst
      }
      return answer
    })

    const answers = yield* Effect.all(Array.from({ length: VERIFICATIONS }, () => verifyOne), {
      concurrency: CONCURRENCY
    })

    const failed = answers.filter(({ data, status }) => status !== 200 || data.isDuplicate)
    assert.deepStrictEqual(failed.map(({ text }) => text), [])
    const [easyslip, slip2go] = [first.state("easyslip").charges, second.state("slip2go").charges]
    assert.deepStrictEqual([easyslip.chargedTwice, slip2go.chargedTwice], [[], []])
    assert.isAtLeast(easyslip.charged, DIES_AFTER)
    assert.strictEqual(easyslip.charged, easyslip.asked)
    assert.strictEqual(slip2go.charged, slip2go.asked)
    // A question that the first vendor answered is not asked again. Those that its death cut off are.
    assert.isAtLeast(easyslip.charged + slip2go.charged, VERIFICATIONS)
    assert.isAtMost(easyslip.charged + slip2go.charged, VERIFICATIONS + CONCURRENCY)

    const replies = yield* earlierReplies
    const asked = replies.filter(({ why }) => !why.includes("was not asked"))
    assert.deepStrictEqual([...new Set(replies.map(({ gateway }) => gateway))], ["easyslip"])
    // Questions that were on their way when the circuit opened fail too.
    assert.isAtMost(asked.length, MAX_FAILURES + CONCURRENCY, "questions to the dead vendor")
    assert.isAbove(replies.length, VERIFICATIONS - DIES_AFTER - 2 * CONCURRENCY)
    const { text } = yield* call("GET", "/metrics")
    assert.match(text, /^sliptrail_gateway_circuit_open\{.*gateway="easyslip".*\} 1$/mu)
  })
})
