import { Effect } from "effect"
import { fold } from "../../domain/decider.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { branches } from "../../domain/events/aggregates.ts"
import { branchesWrites, branchRows } from "../../projections/models/branches.ts"
import { quotaUseAt } from "./state-at-quota.ts"
import { historyOf } from "./trail-subject.ts"
import { withoutQuery } from "../callbacks/without-query.ts"

/** A branch at a moment. Times are ISO 8601, UTC. */
export interface BranchAt {
  readonly kind: "branch"
  readonly branchId: string
  readonly serviceId: string
  readonly name: string
  readonly isMain: boolean
  readonly isActive: boolean
  readonly createdAt: string
  /** Of the calendar month of the moment in Bangkok; `max` is null when it was unlimited. */
  readonly quota: { readonly month: string; readonly used: number; readonly max: number | null }
  readonly ipWhitelist: ReadonlyArray<string>
  /** Without its query, which may be a secret. */
  readonly webhookUrl: string | null
  readonly webhookSecretIssuedAt: string | null
  /** When the API key in force was issued; null when there was none. */
  readonly keyIssuedAt: string | null
}

/** A branch as it was at a moment, in milliseconds; undefined when there was none. */
export const branchAt = Effect.fnUntraced(function* (branchId: string, at: number) {
  const events = yield* historyOf(streamOf.branch(branchId), at)
  const found = branchRows.fold(events.flatMap(branchesWrites))
  if (found === undefined) return undefined
  const { active, createdAt, ipWhitelist, isMain, name, quota: max, serviceId, webhookUrl } = found
  const { keyDigest } = fold(branches.decider, events.map(branches.codec.decode))
  const lastOf = (type: string): string | null => events.findLast((event) => event.type === type)?.metadata.at ?? null
  const state: BranchAt = {
    kind: "branch",
    branchId,
    serviceId,
    name,
    isMain,
    isActive: active,
    createdAt,
    quota: { ...(yield* quotaUseAt(branchId, at)), max },
    ipWhitelist,
    webhookUrl: webhookUrl === null ? null : withoutQuery(webhookUrl),
    webhookSecretIssuedAt: lastOf("WebhookSecretRotated"),
    keyIssuedAt: keyDigest === null ? null : lastOf("ApiKeyIssued")
  }
  return state
})
