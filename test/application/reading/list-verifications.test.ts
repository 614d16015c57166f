import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { listVerifications, type VerificationsQuery } from "../../../application/reading/list-verifications.ts"
import { remarkDigest, remarkFields, sealTransfer, slipDigest } from "../../../application/sealing/sealed-data.ts"
import { slips, streamOf, verifications } from "../../../domain/events/aggregates.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { satang } from "../../../domain/money.ts"
import type { SlipEvent } from "../../../domain/slip/slip.ts"
import { isoTime } from "../../../domain/time.ts"
import { layerVault } from "../../../infrastructure/keys/vault.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { MOST_EXAMINED } from "../../../projections/engine/page.ts"
import { duplicatesProjection } from "../../../projections/models/duplicates.ts"
import {
  verificationClasses,
  verificationSets,
  verificationsModel,
  verificationsProjection
} from "../../../projections/models/verifications.ts"
import { newSlip } from "../../support/client.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { runs } from "../../support/runs.ts"
import { layerEmptyModels } from "../given-models.ts"
import { transferOf } from "../given-verifier.ts"

const layerGiven = () => Layer.fresh(Layer.merge(layerEmptyModels, layerVault(Redacted.make(new Uint8Array(32)))))

const serviceId = "service-1"
const begun = Date.parse("2026-11-21T05:00:00.000Z")
const accounts = ["0a4b6a3e-6a2b-4f53-8f0a-2f3a8cf8f1f7", "b1b2c3d4-6a2b-4f53-8f0a-2f3a8cf8f1f7"] as const
const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A verification to be written. The first with a slip is that of its service. */
const Spec = Schema.Struct({
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
type Spec = typeof Spec.Type

const Filters = Schema.Struct({
  outcome: Schema.optionalKey(Schema.Literals(["verified", "duplicate", "failed", "SLIP_PENDING"])),
  isDuplicate: Schema.optionalKey(Schema.Boolean),
  accepted: Schema.optionalKey(Schema.Boolean),
  minAmount: Schema.optionalKey(between(9_000, 31_000)),
  maxAmount: Schema.optionalKey(between(9_000, 31_000)),
  remark: Schema.optionalKey(Schema.Literals([" ORDER 1", "Order 2 ", "order 3"])),
  bankAccount: Schema.optionalKey(Schema.Literals(accounts)),
  slip: Schema.optionalKey(between(0, 2)),
  hasBank: Schema.Boolean,
  from: Schema.optionalKey(between(0, 8)),
  to: Schema.optionalKey(between(0, 8)),
  order: Schema.Literals(["newest", "oldest"]),
  limit: between(1, 4)
})
type Filters = typeof Filters.Type

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`
const refOf = (slip: number): string => `REF${slip}`
const question = (slip: number) => ({ ...newSlip(), sendingBank: "004", transRef: refOf(slip) })
const amountOf = (slip: number) => satang((slip + 1) * 10_000)
const timeOf = (minute: number): number => begun + minute * 60_000

/** Writes the verifications into the log and the read models, and returns what a list of all has to say of each. */
const written = Effect.fnUntraced(function* (specs: ReadonlyArray<Spec>) {
  const store = yield* EventStore
  const expected: Array<Spec & { readonly id: string; readonly outcome: string; readonly charged: boolean }> = []
  for (const [index, spec] of specs.entries()) {
    const { accepted, accountId, branchId, code, isOld, minute, remark, slip } = spec
    const id = idOf(index)
    const at = isoTime(timeOf(minute))
    const digest = yield* slipDigest("004", refOf(slip))
    const note = yield* remarkFields({ branchId, remark: remark ?? undefined }, "subject")
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
          ...(isOld ? {} : { remarkDigest: note.remarkDigest })
        })
      )
      expected.push({ ...spec, accepted: null, id, outcome: code, charged: false })
      continue
    }
    const stream = streamOf.slip(serviceId, digest)
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
      ...(isOld ? {} : { remarkDigest: note.remarkDigest, accountId: accountId ?? undefined })
    }
    const first = {
      serviceId,
      sendingBank: "004",
      amount: amountOf(slip),
      transferredAt: "2026-11-21T11:59:00+07:00",
      transfer: yield* sealTransfer(transferOf(question(slip)), "subject"),
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
  for (const projection of [duplicatesProjection, verificationsProjection]) {
    const upTo = yield* store.head
    const writes = events.flatMap((event) => projection.when(event))
    yield* models.apply(modelName(projection), { after: beginning, upTo, writes })
  }
  return expected
})

/** The filters, applied to the verifications one by one. */
const naive = (all: Effect.Success<ReturnType<typeof written>>, branchId: string, filters: Filters) => {
  const same = (one: string, other: string): boolean =>
    one.trim().replace(/\s+/gu, " ").toLowerCase() === other.trim().replace(/\s+/gu, " ").toLowerCase()
  const { accepted, bankAccount, from = 0, isDuplicate, maxAmount, minAmount, order, outcome, remark, slip, to = 9 } =
    filters
  const found = all.filter((each) =>
    each.branchId === branchId && each.minute >= from && each.minute <= to
    && (outcome === undefined || each.outcome === outcome || (outcome === "failed" && !each.hasSlip))
    && (isDuplicate === undefined || (each.hasSlip && (each.outcome === "duplicate") === isDuplicate))
    && (accepted === undefined || each.accepted === accepted)
    && (minAmount === undefined || (each.hasSlip && amountOf(each.slip) >= minAmount))
    && (maxAmount === undefined || (each.hasSlip && amountOf(each.slip) <= maxAmount))
    && (remark === undefined || (!each.isOld && each.remark !== null && same(each.remark, remark)))
    && (bankAccount === undefined || (!each.isOld && each.hasSlip && each.accountId === bankAccount))
    && (slip === undefined || each.slip === slip)
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

const queryOf = (branchId: string, { from, hasBank, slip, to, ...filters }: Filters): VerificationsQuery => ({
  branchId,
  serviceId,
  ...filters,
  from: from === undefined ? undefined : timeOf(from),
  to: to === undefined ? undefined : timeOf(to),
  reference: slip === undefined ? undefined : { reference: refOf(slip), sendingBank: hasBank ? "004" : undefined }
})

/** The items of all pages. */
const allPages = Effect.fnUntraced(function* (query: VerificationsQuery) {
  const items: Array<unknown> = []
  let cursor: string | undefined
  do {
    const page = yield* listVerifications({ ...query, cursor })
    assert.isAtMost(page.items.length, query.limit)
    items.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return items
})

describe("the list of verifications", () => {
  it.effect.prop(
    "equals a naive filter for any filters together, in both orders and in pages of any size",
    [Schema.Array(Spec).check(Schema.isMaxLength(30)), Schema.Array(Filters).check(Schema.isMaxLength(10))],
    ([specs, queries]) =>
      Effect.gen(function* () {
        const all = yield* written(specs)
        for (const filters of queries) {
          for (const branchId of ["silom", "asoke"]) {
            const items = yield* allPages(queryOf(branchId, filters))
            assert.deepStrictEqual(items, naive(all, branchId, filters), JSON.stringify(filters))
          }
        }
      }).pipe(Effect.provide(layerGiven())),
    { arbitrary: { runs: runs(40) } }
  )

  it.effect("finds a remark in its own branch only", () =>
    Effect.gen(function* () {
      assert.notStrictEqual(yield* remarkDigest("silom", "Order 1"), yield* remarkDigest("asoke", "Order 1"))
      assert.strictEqual(yield* remarkDigest("silom", "Order 1"), yield* remarkDigest("silom", "  ORDER\t1 "))
      assert.isUndefined(yield* remarkDigest("silom", undefined))
    }).pipe(Effect.provide(layerGiven())))

  it.effect("reads the same for a page of few and of many verifications, and not more with a filter", () =>
    Effect.gen(function* () {
      const models = yield* ReadModels
      let read = 0
      const counted = ReadModels.of({
        ...models,
        members: (...args) =>
          Effect.tap(models.members(...args), ({ length }) => Effect.sync(() => read += 1 + length)),
        get: (...args) => Effect.tap(models.get(...args), () => Effect.sync(() => read++))
      })
      const list = Effect.fnUntraced(function* (more: Partial<VerificationsQuery>) {
        read = 0
        const query = { branchId: "silom", serviceId, limit: 10, order: "newest", ...more } as const
        return { ...(yield* listVerifications(query)), read }
      }, Effect.provideService(ReadModels, counted))

      let count = 0
      const fillTo = Effect.fnUntraced(function* (wanted: number) {
        const writes: Array<Write> = []
        for (; count < wanted; count++) {
          writes.push(verificationSets.ofClass("silom", "SLIP_PENDING").add(`${idOf(count)} SLIP_PENDING - - -`, count))
        }
        const model = modelName(verificationsModel)
        const upTo = { commit: BigInt(count), prepare: BigInt(count) }
        yield* models.apply(model, { after: yield* models.checkpoint(model), upTo, writes })
      })
      yield* fillTo(100)
      const few = yield* list({})
      yield* fillTo(3 * MOST_EXAMINED)
      const many = yield* list({})
      assert.strictEqual(many.read, few.read)
      assert.lengthOf(many.items, 10)

      const none = yield* list({ remark: "order 42" })
      assert.deepStrictEqual(none.items, [])
      assert.isNotNull(none.nextCursor)
      assert.isAtMost(none.read, MOST_EXAMINED + 200 + 2 * verificationClasses.length)
      let pages = 1
      for (let cursor: string | null = none.nextCursor; cursor !== null; pages++) {
        ;({ nextCursor: cursor } = yield* list({ remark: "order 42", cursor }))
      }
      assert.strictEqual(pages, 3)
    }).pipe(Effect.provide(layerGiven())))
})
