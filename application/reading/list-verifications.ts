import { Effect } from "effect"
import { banks } from "../../domain/bank.ts"
import { toBaht } from "../../domain/money.ts"
import { isoTime } from "../../domain/time.ts"
import { slips, streamOf } from "../../domain/events/aggregates.ts"
import { TRUEMONEY, walletTransRef } from "../../domain/slip/wallet-payload.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { Member } from "../../ports/read-models.ts"
import { filteredPageOfAll, listOf, type PageQuery } from "../../projections/engine/page.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { verificationRows } from "../../projections/models/duplicates.ts"
import {
  entryOfSlip,
  isDuplicateClass,
  isSuccessClass,
  parseEntry,
  shortOf,
  type VerificationClass,
  verificationClasses,
  verificationSets,
  verificationsModel,
  verificationsOf
} from "../../projections/models/verifications.ts"
import { openRemark, remarkDigest, slipDigest } from "../sealing/sealed-data.ts"
import type { FailureMessageCode } from "../verification/failures.ts"
import type { SlipKind } from "../verification/slip-source.ts"

/** A slip as a merchant names it. Without a sending bank, that of any bank and of TrueMoney. */
export interface SlipReference {
  readonly sendingBank: string | undefined
  /** For a TrueMoney slip, the transaction id. */
  readonly reference: string
}

/** Which verifications of a branch to list. An absent filter lets all pass. */
export interface VerificationsQuery extends PageQuery {
  readonly branchId: string
  readonly serviceId: string
  readonly outcome?: "verified" | "duplicate" | "failed" | FailureMessageCode | undefined
  /** Verifications without a slip are neither. */
  readonly isDuplicate?: boolean | undefined
  /** Verifications without conditions are neither. */
  readonly accepted?: boolean | undefined
  /** In satang, both inclusive. */
  readonly minAmount?: number | undefined
  readonly maxAmount?: number | undefined
  readonly remark?: string | undefined
  readonly reference?: SlipReference | undefined
  /** Id of the bank account that matched. */
  readonly bankAccount?: string | undefined
}

/** A verification in a list. Money is in baht. Fields that do not apply are null. */
export interface VerificationItem {
  readonly verificationId: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** `verified`, `duplicate`, or the code of the failure. */
  readonly outcome: string
  readonly isDuplicate: boolean | null
  readonly accepted: boolean | null
  readonly amount: number | null
  readonly charged: boolean
  readonly kind: SlipKind | null
  readonly remark: string | null
}

const acceptanceOf = (verificationClass: string): boolean | null => {
  if (!isSuccessClass(verificationClass)) return null
  if (verificationClass.endsWith("+")) return true
  return verificationClass.endsWith("-") ? false : null
}

const duplicateOf = (verificationClass: string): boolean | null =>
  isSuccessClass(verificationClass) ? isDuplicateClass(verificationClass) : null

const outcomeOf = (verificationClass: string): string => {
  if (!isSuccessClass(verificationClass)) return verificationClass
  return isDuplicateClass(verificationClass) ? "duplicate" : "verified"
}

const hasOutcome = (verificationClass: string, outcome: VerificationsQuery["outcome"]): boolean =>
  outcome === undefined || outcomeOf(verificationClass) === outcome
  || (outcome === "failed" && !isSuccessClass(verificationClass))

const classesOf = (query: VerificationsQuery): ReadonlyArray<VerificationClass> => {
  const { accepted, bankAccount, isDuplicate, maxAmount, minAmount, outcome } = query
  const isOfSlip = minAmount !== undefined || maxAmount !== undefined || bankAccount !== undefined
  return verificationClasses.filter((each) =>
    hasOutcome(each, outcome)
    && (isDuplicate === undefined || duplicateOf(each) === isDuplicate)
    && (accepted === undefined || acceptanceOf(each) === accepted)
    && (!isOfSlip || isSuccessClass(each))
  )
}

const isWithin = (amount: number, { maxAmount = Infinity, minAmount = 0 }: VerificationsQuery): boolean =>
  minAmount <= amount && amount <= maxAmount

/** Whether a verification passes the filters that its class does not decide. An unknown amount passes for now. */
const filterOf = (query: VerificationsQuery, classes: ReadonlyArray<string>, remark: string | undefined) => {
  const hasAmounts = query.minAmount !== undefined || query.maxAmount !== undefined
  const account = query.bankAccount === undefined ? undefined : shortOf(query.bankAccount)
  if (!hasAmounts && account === undefined && remark === undefined && query.reference === undefined) return undefined
  const isChosen = new Set(classes)
  return (member: string): boolean => {
    const entry = parseEntry(member)
    return isChosen.has(entry.verificationClass)
      && (!hasAmounts || entry.amount === "unknown" || (entry.amount !== null && isWithin(entry.amount, query)))
      && (account === undefined || entry.account === account)
      && (remark === undefined || entry.remark === shortOf(remark))
  }
}

/** Streams and rows read at a time. */
const CONCURRENT_READS = 10

/** The slips that a reference can mean, as bank and transRef. */
const slipsNamed = ({ reference, sendingBank }: SlipReference): ReadonlyArray<readonly [string, string]> => {
  const ofWallet = [TRUEMONEY, walletTransRef(reference)] as const
  if (sendingBank !== undefined) return [sendingBank === TRUEMONEY ? ofWallet : [sendingBank, reference]]
  return [...banks.map(({ code }) => [code, reference] as const), ofWallet]
}

/** The verifications of a slip by the branch. The first one of a slip in the service stands in no set of slips. */
const ofReference = Effect.fnUntraced(function* (
  { branchId, serviceId }: VerificationsQuery,
  reference: SlipReference
) {
  const { readStream } = yield* EventStore
  const found = yield* Effect.forEach(
    slipsNamed(reference),
    Effect.fnUntraced(function* ([sendingBank, transRef]) {
      const digest = yield* slipDigest(sendingBank, transRef)
      const first = (yield* readStream(streamOf.slip(serviceId, digest), { limit: 1 })).map(slips.codec.decode)
      return {
        set: verificationSets.ofSlip(branchId, digest),
        first: first.filter((event) => event.branchId === branchId).map(entryOfSlip)
      }
    }),
    { concurrency: CONCURRENT_READS }
  )
  return [listOf(found.flatMap(({ first }) => first)), ...found.map(({ set }) => set)]
})

/** The event of a verification with a slip, and the first event of the slip. */
const eventsOf = Effect.fnUntraced(function* (verificationId: string) {
  const row = yield* verificationRows.getCaughtUp(verificationId)
  if (row === undefined) return yield* Effect.die(`the index has no verification ${verificationId}`)
  const { readStream } = yield* EventStore
  const read = (from: number) => readStream(row.stream, { from, limit: 1 })
  const [event, first = event] = [...yield* read(row.revision), ...row.revision === 0 ? [] : yield* read(0)]
    .map(slips.codec.decode)
  if (event === undefined || first?._tag !== "SlipVerified") {
    return yield* Effect.die(`${row.stream} lacks the events of verification ${verificationId}`)
  }
  return { event, first }
})

const itemOf = Effect.fnUntraced(function* ({ member, score }: Member, query: VerificationsQuery) {
  const { verificationClass, verificationId } = parseEntry(member)
  const common = {
    verificationId,
    at: isoTime(score),
    outcome: outcomeOf(verificationClass),
    isDuplicate: duplicateOf(verificationClass),
    accepted: acceptanceOf(verificationClass)
  }
  if (!isSuccessClass(verificationClass)) {
    return { ...common, amount: null, charged: false, kind: null, remark: null } satisfies VerificationItem
  }
  const { event, first } = yield* eventsOf(verificationId)
  // The amount of an old duplicate is known only now.
  if (!isWithin(first.amount, query)) return undefined
  const item: VerificationItem = {
    ...common,
    amount: toBaht(first.amount),
    charged: event.charged,
    kind: first.sendingBank === TRUEMONEY ? "truemoney" : "bank",
    remark: (yield* openRemark(event.remark)) ?? null
  }
  return item
})

/**
 * A page of a branch's verifications by time (docs/spec/http.md, "GET /v2/verifications"). It costs the same however many
 * there are. With a filter on amount, account, remark or reference a page can have fewer items than `limit`, even none,
 * while there is a next one.
 */
export const listVerifications = Effect.fn("listVerifications")(function* (query: VerificationsQuery) {
  yield* whenReady(verificationsModel)
  const classes = classesOf(query)
  const sets = query.reference === undefined
    ? verificationsOf(query.branchId, classes)
    : yield* ofReference(query, query.reference)
  const passes = filterOf(query, classes, yield* remarkDigest(query.branchId, query.remark))
  const { items: members, nextCursor } = yield* filteredPageOfAll(sets, query, passes)
  const found = yield* Effect.forEach(members, (member) => itemOf(member, query), { concurrency: CONCURRENT_READS })
  return { items: found.filter((item) => item !== undefined), nextCursor }
})
