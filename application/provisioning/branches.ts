import { Clock, Effect, type Redacted } from "effect"
import { makeCachedLoad } from "../events/handle-command.ts"
import { ApiKeyInUse, keyOfBranch, type NewKey, randomKey } from "./api-keys.ts"
import { Callers } from "./callers.ts"
import { Directory } from "./directory.ts"
import { openPlaced, sealFor } from "../sealing/sealed-data.ts"
import { handleOperatorCommand, readWhenVisible } from "./operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { type BranchCommand, BranchNotFound, type BranchSettings } from "../../domain/branch.ts"
import { branches, streamOf } from "../../domain/events/aggregates.ts"
import { ServiceNotFound } from "../../domain/service.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import type { Sealed } from "../../domain/sealed.ts"

/** Secrets that are returned only once. The log holds the digest of the key and the sealed webhook secret. */
export interface BranchSecrets {
  readonly apiKey: string
  readonly webhookSecret: string
}

/** The purpose under which webhook secrets are sealed. */
export const webhookSecretPurpose = "webhook-secret"
const DEFAULT_OVERLAP_SECONDS = 86_400

/** Seals a webhook secret of a branch. */
export const sealWebhookSecret = (secret: string, branchId: string) =>
  sealFor(webhookSecretPurpose, secret, { record: streamOf.branch(branchId), subject: undefined })

/** Opens a webhook secret of a branch's events. */
export const openWebhookSecret = (sealed: Sealed) => openPlaced(webhookSecretPurpose, sealed)

const issueWebhookSecret = Effect.fnUntraced(function* (branchId: string) {
  const webhookSecret = (yield* Identifiers).webhookSecret()
  return { webhookSecret, sealed: yield* sealWebhookSecret(webhookSecret, branchId) }
})

const find = (id: string) => Effect.flatMap(Directory, (directory) => directory.branch(id))

const loadBranch = makeCachedLoad(branches)

/**
 * Handles a command of an operation on a branch. A branch may have thousands of changes, and a merchant makes them as often
 * as the rate limit lets it: folding all of them for each change would slow down the others.
 */
export const handleBranchCommand = Effect.fnUntraced(function* (
  id: string,
  command: BranchCommand,
  ids: RequestIds
) {
  const stream = streamOf.branch(id)
  const handled = yield* handleOperatorCommand(branches, stream, () => command, ids, yield* loadBranch(stream))
  const { issued } = yield* Callers
  for (const event of handled.events) if (event._tag === "ApiKeyIssued") yield* issued(event.keyDigest, id)
  return handled
})

type CommandAboutOneKey = Extract<BranchCommand, { readonly _tag: "IssueApiKey" | "ReplaceApiKey" | "RevokeApiKey" }>

/** The same. Only commands about one key can be rejected because of a key. */
export const commandBranch = (id: string, command: Exclude<BranchCommand, CommandAboutOneKey>, ids: RequestIds) =>
  handleBranchCommand(id, command, ids).pipe(
    Effect.catchTag(["ApiKeyNotFound", "ApiKeyRefused"], Effect.die)
  )

/**
 * Creates the stream of a branch, with its webhook secret. `isNew` is false when an imported key had created it before;
 * the branch then stays as it is.
 */
export const appendBranch = Effect.fnUntraced(function* (
  { apiKey, branchId, keyDigest }: NewKey,
  branch: { readonly serviceId: string; readonly isMain: boolean; readonly name: string },
  settings: BranchSettings,
  ids: RequestIds
) {
  const { sealed } = yield* issueWebhookSecret(branchId)
  const { after, events } = yield* commandBranch(branchId, {
    _tag: "CreateBranch",
    branchId,
    ...branch,
    keyDigest,
    webhookSecret: sealed,
    at: isoTime(yield* Clock.currentTimeMillis),
    settings
  }, ids)
  const webhookSecret = yield* Effect.orDie(openWebhookSecret(after.webhookSecret ?? sealed))
  const secrets: BranchSecrets = { apiKey, webhookSecret }
  return { isNew: events.length > 0, branch: after, secrets }
})

export interface NewBranch {
  readonly serviceId: string
  readonly name: string
  readonly settings: BranchSettings
  /** An API key of another verifier, which the branch keeps: a UUID v4 in lower case. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** Adds a branch to a service, with its own API key, quota and settings. */
export const createBranch = Effect.fn("branches.createBranch")(function* (input: NewBranch, ids: RequestIds) {
  const { apiKey, name, serviceId, settings } = input
  const service = yield* (yield* Directory).service(serviceId)
  if (service === undefined || service.isDeleted) return yield* new ServiceNotFound()
  const key = yield* keyOfBranch(apiKey)
  const { isNew, secrets } = yield* appendBranch(key, { serviceId, isMain: false, name }, settings, ids)
  if (!isNew) return yield* new ApiKeyInUse()
  const view = yield* readWhenVisible(find(key.branchId), () => new BranchNotFound())
  return { ...view, ...secrets }
})

/** Changes settings of a branch. Absent settings stay. */
export const changeBranch = Effect.fn("branches.changeBranch")(function* (
  id: string,
  settings: BranchSettings,
  ids: RequestIds
) {
  yield* commandBranch(id, { _tag: "ChangeBranch", settings }, ids)
  return yield* readWhenVisible(find(id), () => new BranchNotFound())
})

/** Activates or deactivates a branch. */
export const switchBranch = Effect.fn("branches.switchBranch")(function* (
  id: string,
  to: "active" | "inactive",
  ids: RequestIds
) {
  const _tag = to === "active" ? "ActivateBranch" : "DeactivateBranch"
  yield* commandBranch(id, { _tag }, ids)
  return yield* readWhenVisible(find(id), () => new BranchNotFound())
})

/** Issues a new API key. The old one becomes invalid at once. */
export const rotateApiKey = Effect.fn("branches.rotateApiKey")(function* (id: string, ids: RequestIds) {
  const { apiKey, keyDigest } = yield* randomKey
  yield* commandBranch(id, { _tag: "RotateApiKey", keyDigest }, ids)
  return { ...(yield* readWhenVisible(find(id), () => new BranchNotFound())), apiKey }
})

/** Issues a new webhook secret. For `overlapSeconds` callbacks are signed with the old one too. */
export const rotateWebhookSecret = Effect.fn("branches.rotateWebhookSecret")(function* (
  id: string,
  ids: RequestIds,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS
) {
  const now = yield* Clock.currentTimeMillis
  const { sealed, webhookSecret } = yield* issueWebhookSecret(id)
  const effectiveAt = isoTime(now)
  const previousExpiresAt = isoTime(now + overlapSeconds * 1_000)
  yield* commandBranch(id, {
    _tag: "RotateWebhookSecret",
    secret: sealed,
    effectiveAt,
    previousExpiresAt
  }, ids)
  return { secret: webhookSecret, effectiveAt, previousExpiresAt }
})
