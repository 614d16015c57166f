import { Effect, Schema } from "effect"
import {
  remarkFields,
  sealedForSlip,
  sealTransfer,
  slipDigest,
  tailDigest
} from "../../../application/sealing/sealed-data.ts"
import { slips, streamOf, verifications } from "../../../domain/events/aggregates.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { satang } from "../../../domain/money.ts"
import type { SlipEvent } from "../../../domain/slip/slip.ts"
import { isoTime } from "../../../domain/time.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { handlesStream } from "../../../projections/engine/projection.ts"
import { branchesProjection } from "../../../projections/models/branches.ts"
import { duplicatesProjection } from "../../../projections/models/duplicates.ts"
import { jobsProjection } from "../../../projections/models/jobs.ts"
import { operatorIndexProjection } from "../../../projections/models/operator-index.ts"
import { verificationsProjection } from "../../../projections/models/verifications.ts"
import { newSlip } from "../../support/client.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { transferOf } from "../given-verifier.ts"

export const serviceId = "service-1"
const begun = Date.parse("2026-11-21T05:00:00.000Z")
const accounts = ["0a4b6a3e-6a2b-4f53-8f0a-2f3a8cf8f1f7", "b1b2c3d4-6a2b-4f53-8f0a-b1b2c3d4e5f6"] as const
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A verification to be written. The first with a slip is that of its service. */
export const Spec = Schema.Struct({
  hasSlip: Schema.Boolean,
  branchId: Schema.Literals(["silom", "asoke"]),
  slip: between(0, 2),
  minute: between(0, 8),
  accepted: Schema.NullOr(Schema.Boolean),
  remark: Schema.NullOr(Schema.Literals(["Order 1", "order  2"])),
  accountId: Schema.NullOr(Schema.Literals(accounts)),
  code: Schema.Literals(["SLIP_NOT_FOUND", "SLIP_PENDING"]),
  /** Written before events had an amount, account and remark for filters. */
  isOld: Schema.Boolean
})
export type Spec = typeof Spec.Type

export const Filters = Schema.Struct({
  outcome: Schema.optionalKey(Schema.Literals(["verified", "duplicate", "failed", "SLIP_PENDING"])),
  isDuplicate: Schema.optionalKey(Schema.Boolean),
  accepted: Schema.optionalKey(Schema.Boolean),
  minAmount: Schema.optionalKey(between(9_000, 31_000)),
  maxAmount: Schema.optionalKey(between(9_000, 31_000)),
  remark: Schema.optionalKey(Schema.Literals([" ORDER 1", "Order 2 ", "order 3"])),
  bankAccount: Schema.optionalKey(Schema.Literals(accounts)),
  slip: Schema.optionalKey(between(0, 2)),
  /** A slip whose reference has the end. The slips 0 and 2 have the same. */
  end: Schema.optionalKey(between(0, 2)),
  hasBank: Schema.Boolean,
  from: Schema.optionalKey(between(0, 8)),
  to: Schema.optionalKey(between(0, 8)),
  order: Schema.Literals(["newest", "oldest"]),
  limit: between(1, 4)
})
export type Filters = typeof Filters.Type

export const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`
export const refOf = (slip: number): string => `REFERENCE${slip}${endOf(slip)}`
export const endOf = (slip: number): string => `APM00${slip % 2}`
const question = (slip: number) => ({ ...newSlip(), sendingBank: "004", transRef: refOf(slip) })
const amountOf = (slip: number) => satang((slip + 1) * 10_000)
export const timeOf = (minute: number): number => begun + minute * 60_000

/** Writes the verifications into the log and the read models, and returns what a list of all has to say of each. */
export const written = Effect.fnUntraced(function* (specs: ReadonlyArray<Spec>) {
  const store = yield* EventStore
  const expected: Array<Spec & { readonly id: string; readonly outcome: string; readonly charged: boolean }> = []
  for (const [index, spec] of specs.entries()) {
    const { accepted, accountId, branchId, code, isOld, minute, remark, slip } = spec
    const id = idOf(index)
    const at = isoTime(timeOf(minute))
    const digest = yield* slipDigest("004", refOf(slip))
    const stream = streamOf.slip(serviceId, digest)
    const owner = sealedForSlip(stream, { serviceId, slipDigest: digest, verificationId: id })
    const note = yield* remarkFields({ branchId, remark: remark ?? undefined }, owner)
    const add = Effect.fnUntraced(function* (stream: string, { data, type }: ReturnType<typeof slips.codec.encode>) {
      const event = someEvent(id, type, data)
      const last = (yield* store.readStream(stream)).at(-1)
      yield* store.append(stream, last?.revision ?? "no-stream", [{ ...event, metadata: { ...event.metadata, at } }])
    })
    if (!spec.hasSlip) {
      yield* add(
        streamOf.verification(id),
        verifications.codec.encode({
          _tag: "VerificationFailed",
          verificationId: id,
          serviceId,
          branchId,
          at,
          code,
          why: "",
          slipDigest: digest,
          gateway: null,
          gatewayMillis: null,
          tailDigest: yield* tailDigest(refOf(slip)),
          ...(isOld ? {} : { remarkDigest: note.remarkDigest })
        })
      )
      expected.push({ ...spec, accepted: null, id, outcome: code, charged: false })
      continue
    }
    const before = (yield* store.readStream(stream)).map(slips.codec.decode)
    const verdict = {
      verificationId: id,
      branchId,
      at,
      month: "2026-11",
      charged: before.every((event) => event.branchId !== branchId),
      remark: note.remark,
      expectedAmount: null,
      isAmountMatched: null,
      ...(accepted === null ? {} : { acceptance: { accepted, reasons: [], conditions: {}, policyVersion: null } }),
      tailDigest: yield* tailDigest(refOf(slip)),
      ...(isOld ? {} : { remarkDigest: note.remarkDigest, accountId: accountId ?? undefined })
    }
    const first = {
      serviceId,
      sendingBank: "004",
      amount: amountOf(slip),
      transferredAt: "2026-11-21T11:59:00+07:00",
      transfer: yield* sealTransfer(transferOf(question(slip)), owner),
      gateway: "stub",
      gatewayMillis: 1
    }
    const event: SlipEvent = before.length === 0
      ? { _tag: "SlipVerified", ...verdict, ...first }
      : { _tag: "SlipVerifiedAgain", ...verdict, ...(isOld ? {} : { amount: amountOf(slip) }) }
    yield* add(stream, slips.codec.encode(event))
    expected.push({ ...spec, id, outcome: before.length === 0 ? "verified" : "duplicate", charged: verdict.charged })
  }
  const models = yield* ReadModels
  const events = yield* store.readAll({ after: beginning, limit: 1_000 })
  for (
    const projection of [
      duplicatesProjection,
      verificationsProjection,
      operatorIndexProjection,
      jobsProjection,
      branchesProjection
    ]
  ) {
    const upTo = yield* store.head
    const writes = events
      .filter(({ stream }) => handlesStream(projection, stream))
      .flatMap((event) => projection.when(event))
    yield* models.apply(modelName(projection), { after: beginning, upTo, writes })
  }
  return expected
})

/** The filters, applied to the verifications one by one. */
export const naive = (
  all: Effect.Success<ReturnType<typeof written>>,
  branchId: string | undefined,
  filters: Filters
) => {
  const same = (one: string, other: string): boolean =>
    one.trim().replace(/\s+/gu, " ").toLowerCase() === other.trim().replace(/\s+/gu, " ").toLowerCase()
  const {
    accepted,
    bankAccount,
    end,
    from = 0,
    isDuplicate,
    maxAmount,
    minAmount,
    order,
    outcome,
    remark,
    slip,
    to = 9
  } = filters
  const found = all.filter((each) =>
    (branchId === undefined || each.branchId === branchId) && each.minute >= from && each.minute <= to
    && (outcome === undefined || each.outcome === outcome || (outcome === "failed" && !each.hasSlip))
    && (isDuplicate === undefined || (each.hasSlip && (each.outcome === "duplicate") === isDuplicate))
    && (accepted === undefined || each.accepted === accepted)
    && (minAmount === undefined || (each.hasSlip && amountOf(each.slip) >= minAmount))
    && (maxAmount === undefined || (each.hasSlip && amountOf(each.slip) <= maxAmount))
    && (remark === undefined || (!each.isOld && each.remark !== null && same(each.remark, remark)))
    && (bankAccount === undefined || (!each.isOld && each.hasSlip && each.accountId === bankAccount))
    && (slip === undefined || each.slip === slip)
    && (end === undefined || endOf(each.slip) === endOf(end))
  )
  const sorted = found.sort((one, other) => one.minute - other.minute || (one.id < other.id ? -1 : 1))
  return (order === "newest" ? sorted.toReversed() : sorted).map((each) => ({
    verificationId: each.id,
    at: isoTime(timeOf(each.minute)),
    outcome: each.outcome,
    isDuplicate: each.hasSlip ? each.outcome === "duplicate" : null,
    accepted: each.accepted,
    amount: each.hasSlip ? amountOf(each.slip) / 100 : null,
    charged: each.charged,
    kind: each.hasSlip ? "bank" : null,
    remark: each.hasSlip ? each.remark : null
  }))
}
