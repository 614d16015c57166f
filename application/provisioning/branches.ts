import { Clock, Effect } from "effect"
import { Directory } from "./directory.ts"
import { handleOperatorCommand, type Operation, readWhenVisible } from "./operator-command.ts"
import { BranchNotFound, type BranchSettings } from "../../domain/branch.ts"
import { branches, streamOf } from "../../domain/events/aggregates.ts"
import { ServiceNotFound } from "../../domain/service.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"

/** Secrets that are returned only once. The log holds the digest of the key and the sealed webhook secret. */
export interface BranchSecrets {
  readonly apiKey: string
  readonly webhookSecret: string
}

/** The purpose under which webhook secrets are sealed. */
export const webhookSecretPurpose = "webhook-secret"
const DEFAULT_OVERLAP_SECONDS = 86_400

const issueKey = Effect.gen(function* () {
  const apiKey = (yield* Identifiers).random()
  return { apiKey, keyDigest: (yield* Vault).digest("api-key", apiKey) }
})

const issueWebhookSecret = Effect.gen(function* () {
  const webhookSecret = (yield* Identifiers).webhookSecret()
  return { webhookSecret, sealed: yield* (yield* Vault).seal(webhookSecretPurpose, webhookSecret) }
})

const find = (id: string) => Effect.flatMap(Directory, (directory) => directory.branch(id))

/** Creates the stream of a branch, with its own API key and webhook secret. */
export const appendBranch = Effect.fnUntraced(function* (
  branch: { readonly serviceId: string; readonly branchId: string; readonly isMain: boolean; readonly name: string },
  settings: BranchSettings,
  operation: Operation
) {
  const { apiKey, keyDigest } = yield* issueKey
  const { sealed, webhookSecret } = yield* issueWebhookSecret
  yield* handleOperatorCommand(branches, streamOf.branch(branch.branchId), {
    _tag: "CreateBranch",
    ...branch,
    keyDigest,
    webhookSecret: sealed,
    at: isoTime(yield* Clock.currentTimeMillis),
    settings
  }, operation)
  const secrets: BranchSecrets = { apiKey, webhookSecret }
  return secrets
})

export interface NewBranch {
  readonly serviceId: string
  readonly name: string
  readonly settings: BranchSettings
}

/** Adds a branch to a service, with its own API key, quota and settings. */
export const createBranch = Effect.fn("branches.createBranch")(function* (input: NewBranch, operation: Operation) {
  const service = yield* (yield* Directory).service(input.serviceId)
  if (service === undefined || service.isDeleted) return yield* new ServiceNotFound()
  const branchId = (yield* Identifiers).random()
  const branch = { serviceId: input.serviceId, branchId, isMain: false, name: input.name }
  const secrets = yield* appendBranch(branch, input.settings, operation)
  const view = yield* readWhenVisible(find(branchId), () => new BranchNotFound())
  return { ...view, ...secrets }
})

/** Changes settings of a branch. Absent settings stay. */
export const changeBranch = Effect.fn("branches.changeBranch")(function* (
  id: string,
  settings: BranchSettings,
  operation: Operation
) {
  yield* handleOperatorCommand(branches, streamOf.branch(id), { _tag: "ChangeBranch", settings }, operation)
  return yield* readWhenVisible(find(id), () => new BranchNotFound())
})

/** Activates or deactivates a branch. */
export const switchBranch = Effect.fn("branches.switchBranch")(function* (
  id: string,
  to: "active" | "inactive",
  operation: Operation
) {
  const _tag = to === "active" ? "ActivateBranch" : "DeactivateBranch"
  yield* handleOperatorCommand(branches, streamOf.branch(id), { _tag }, operation)
  return yield* readWhenVisible(find(id), () => new BranchNotFound())
})

/** Issues a new API key. The old one becomes invalid at once. */
export const rotateApiKey = Effect.fn("branches.rotateApiKey")(function* (id: string, operation: Operation) {
  const { apiKey, keyDigest } = yield* issueKey
  yield* handleOperatorCommand(branches, streamOf.branch(id), { _tag: "RotateApiKey", keyDigest }, operation)
  return { ...(yield* readWhenVisible(find(id), () => new BranchNotFound())), apiKey }
})

/** Issues a new webhook secret. For `overlapSeconds` callbacks are signed with the old one too. */
export const rotateWebhookSecret = Effect.fn("branches.rotateWebhookSecret")(function* (
  id: string,
  operation: Operation,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS
) {
  const now = yield* Clock.currentTimeMillis
  const { sealed, webhookSecret } = yield* issueWebhookSecret
  const effectiveAt = isoTime(now)
  const previousExpiresAt = isoTime(now + overlapSeconds * 1_000)
  yield* handleOperatorCommand(branches, streamOf.branch(id), {
    _tag: "RotateWebhookSecret",
    secret: sealed,
    effectiveAt,
    previousExpiresAt
  }, operation)
  return { secret: webhookSecret, effectiveAt, previousExpiresAt }
})
