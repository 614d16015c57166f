import { Effect } from "effect"
import { policyJson } from "../provisioning/policies.ts"
import { historyOf } from "./trail-sources.ts"
import { withoutQuery } from "../../domain/callback.ts"
import { settingsIn } from "../../domain/branch-settings.ts"
import { fold } from "../../domain/decider.ts"
import { branches, jobs, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime, quotaMonth } from "../../domain/time.ts"
import type { Member } from "../../ports/read-models.ts"
import { forEachPage, membersOfAll } from "../../projections/engine/page.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { branchesWrites, branchRows } from "../../projections/models/branches.ts"
import { jobRows, jobsInStates, jobsModel } from "../../projections/models/jobs.ts"
import { quotaModel, quotaSets } from "../../projections/models/quota.ts"

/** The branch at a time in milliseconds; undefined when it did not exist. */
export const branchAt = Effect.fnUntraced(function* (branchId: string, at: number) {
  const events = yield* historyOf(streamOf.branch(branchId), at)
  const row = branchRows.fold(events.flatMap(branchesWrites))
  if (row === undefined) return undefined
  const { active, createdAt, isMain, name, policy, serviceId } = row
  const { quota: max, webhookUrl, ...settings } = settingsIn(row)
  const decoded = events.map(branches.codec.decode)
  const { keyDigest } = fold(branches.decider, decoded)
  const issued = decoded.findIndex((event) => event._tag === "ApiKeyIssued" && event.keyDigest === keyDigest)
  const lastOf = (type: string): string | null => events.findLast((event) => event.type === type)?.metadata.at ?? null
  return {
    kind: "branch",
    branchId,
    serviceId,
    name,
    isMain,
    isActive: active,
    createdAt,
    quota: { ...(yield* quotaUseAt(branchId, at)), max },
    ...settings,
    webhookUrl: webhookUrl === null ? null : withoutQuery(webhookUrl),
    ...(policy === null ? {} : { policy: policyJson(policy) }),
    webhookSecretIssuedAt: lastOf("WebhookSecretRotated"),
    keyIssuedAt: events[issued]?.metadata.at ?? null
  } as const
})

/**
 * The read model orders jobs by the time of a decision. Histories use the time of the append, which is a little later.
 * So jobs within this many milliseconds of the given time are read too.
 */
const APPEND_DELAY_MILLIS = 60_000

/** When a job was accepted, if it was open at a time and held a quota unit of the month. */
const acceptedWithUnit = Effect.fnUntraced(function* (jobId: string, month: string, at: number) {
  const { ended, enqueued } = fold(jobs.decider, (yield* historyOf(streamOf.job(jobId), at)).map(jobs.codec.decode))
  const holds = enqueued !== null && ended === null && enqueued.charged && enqueued.month === month
  return holds ? Date.parse(enqueued.at) : undefined
})

/** Adds those of the jobs that held a unit, with the times of their acceptance. */
const addHolding = Effect.fnUntraced(function* (
  held: Map<string, number>,
  members: ReadonlyArray<Member>,
  month: string,
  at: number
) {
  const latest = isoTime(at + APPEND_DELAY_MILLIS)
  for (const { member } of members) {
    const row = yield* jobRows.get(member)
    // A job without a row has left the read model, and only its stream says when it was accepted.
    if (row !== undefined && row.createdAt > latest) continue
    const accepted = yield* acceptedWithUnit(member, month, at)
    if (accepted !== undefined) held.set(member, accepted)
  }
})

/**
 * The number of units that are charged by a time, and not held. A held unit is not charged before its job is accepted, so
 * the charges before that are counted and not read: a branch may have a million of them in a month.
 */
const countOthers = Effect.fnUntraced(function* (charges: OrderedSet, held: ReadonlyMap<string, number>, at: number) {
  let from = at + 1
  for (const accepted of held.values()) from = Math.min(from, accepted)
  let count = yield* charges.count({ to: from - 1 })
  const countPage = (page: ReadonlyArray<Member>) =>
    Effect.sync(() => {
      for (const { member } of page) if (!held.has(member)) count++
    })
  if (held.size > 0) yield* forEachPage(charges, { from, to: at }, countPage)
  return count
})

/**
 * The quota units of a branch in use at a time in milliseconds, in the month of that time. They are the units charged by
 * then, and the units held by open jobs. The charges do not include a unit that was released later. Its job ended after the
 * given time, so the scan of ended jobs finds it.
 */
export const quotaUseAt = Effect.fnUntraced(function* (branchId: string, at: number) {
  yield* whenReady(quotaModel)
  yield* whenReady(jobsModel)
  const month = quotaMonth(at)
  const held = new Map<string, number>()

  const pending = yield* membersOfAll(jobsInStates(["pending"], branchId), { to: at + APPEND_DELAY_MILLIS })
  yield* addHolding(held, pending, month, at)
  const ended = jobsInStates(["success", "not_found"], branchId)
  yield* forEachPage(
    { members: (range = {}) => membersOfAll(ended, range) },
    { from: at - APPEND_DELAY_MILLIS },
    (page) => addHolding(held, page, month, at)
  )
  return { month, used: held.size + (yield* countOthers(quotaSets.month(branchId, month), held, at)) }
})
