import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { fold } from "../../../domain/decider.ts"
import { Satang } from "../../../domain/money.ts"
import { Sealed } from "../../../domain/sealed.ts"
import { costs, slip, SlipEvent, type VerifySlip } from "../../../domain/slip/slip.ts"
import { itObeysTheLaws } from "../decider-laws.ts"

/** Few amounts that differ by one satang, so that expected amounts often equal claimed ones. */
const Amount = Satang.check(Schema.isBetween({ minimum: 1, maximum: 3 }))

const Command = Schema.TaggedUnion({
  VerifySlip: {
    verificationId: Schema.Literals(["v-1", "v-2", "v-3", "v-4", "v-5", "v-6", "v-7", "v-8", "v-9"]),
    serviceId: Schema.Literal("s-1"),
    branchId: Schema.Literals(["silom", "siam", "ari"]),
    at: Schema.String,
    month: Schema.Literals(["2026-11", "2026-12"]),
    remark: Schema.NullOr(Sealed),
    expectedAmount: Schema.NullOr(Amount),
    matching: Schema.NullOr(Sealed),
    toCheck: Schema.Undefined,
    accountId: Schema.UndefinedOr(Schema.String),
    remarkDigest: Schema.UndefinedOr(Schema.String),
    tookMillis: Schema.UndefinedOr(Schema.Int),
    tailDigest: Schema.UndefinedOr(Schema.String),
    evidence: Schema.NullOr(Schema.Struct({
      sendingBank: Schema.Literals(["002", "014"]),
      amount: Amount,
      transferredAt: Schema.String,
      transfer: Sealed,
      gateway: Schema.Literals(["scb", "kbank"]),
      gatewayMillis: Schema.Literals([0, 12]),
      upstream: Schema.NullOr(Sealed),
      askedBefore: Schema.Array(Schema.Struct({
        gateway: Schema.Literal("kbank"),
        gatewayMillis: Schema.Literal(4_000),
        why: Schema.String
      }))
    }))
  }
})
const commands = Arbitrary.schema(Command)

interface Decided {
  readonly command: VerifySlip
  readonly event: SlipEvent
}

/** Runs the commands one after another, as the stream's revision orders them. Returns the events with their commands. */
const runInOrder = (sequence: ReadonlyArray<VerifySlip>): ReadonlyArray<Decided> => {
  let state = slip.initialState
  return sequence.flatMap((command) => {
    const isCharged = costs(state, command.branchId)
    const events = Result.getOrElse(slip.decide(command, state), () => [])
    state = fold(slip, events, state)
    return events.map((event) => {
      assert.strictEqual(event.charged, isCharged, "the reservation and the event disagree")
      return { command, event }
    })
  })
}

const sequences = Arbitrary.array(commands, { maxLength: 30 })

describe("any slip", () => {
  itObeysTheLaws(slip, SlipEvent, commands)

  it.prop("is claimed by exactly one verification, the first with a bank's answer", [sequences], ([sequence]) => {
    const decided = runInOrder(sequence)
    const claims = decided.filter(({ event }) => event._tag === "SlipVerified")
    const winner = sequence.find(({ evidence }) => evidence !== null)

    assert.deepStrictEqual(claims.map(({ command }) => command), winner === undefined ? [] : [winner])
    assert.strictEqual(decided[0]?.event._tag, winner === undefined ? undefined : "SlipVerified")
  })

  it.prop("is charged to a branch exactly when the branch had not verified it", [sequences], ([sequence]) => {
    const holders = new Set<string>()
    for (const { event } of runInOrder(sequence)) {
      assert.strictEqual(event.charged, !holders.has(event.branchId))
      holders.add(event.branchId)
    }
  })

  it.prop("has one event for each verification id, of that caller", [sequences], ([sequence]) => {
    const decided = runInOrder(sequence)
    const claimed = sequence.findIndex(({ evidence }) => evidence !== null)
    const answerable = claimed === -1 ? [] : sequence.slice(claimed)
    const ids = [...new Set(answerable.map(({ verificationId }) => verificationId))]

    assert.deepStrictEqual(decided.map(({ event }) => event.verificationId), ids)
    for (const { command, event } of decided) {
      const { at, branchId, expectedAmount, month, remark, verificationId } = command
      assert.deepInclude(event, { at, branchId, expectedAmount, month, remark, verificationId })
    }
  })

  it.prop("matches an expected amount exactly when it equals the claimed amount", [sequences], ([sequence]) => {
    const decided = runInOrder(sequence)
    const amount = decided[0]?.command.evidence?.amount
    for (const { event } of decided) {
      const { expectedAmount, isAmountMatched } = event
      assert.strictEqual(isAmountMatched, expectedAmount === null ? null : expectedAmount === amount)
    }
  })

  it.prop(
    "requires a bank's answer only before its first verification",
    [sequences, commands],
    ([sequence, command]) => {
      const state = fold(slip, runInOrder(sequence).map(({ event }) => event))
      const result = slip.decide({ ...command, verificationId: "v-new", evidence: null }, state)
      assert.strictEqual(Result.isFailure(result), state.first === null)
    }
  )
})
