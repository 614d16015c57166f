import { Result, Schema } from "effect"
import {
  type ApiKeyNotFound,
  type ApiKeyRefused,
  type BranchKeys,
  decideKeys,
  evolveKeys,
  issueDefaultKey,
  type KeyCommand,
  keyEvents,
  noKeys
} from "./branch-keys.ts"
import { type Complete, type Decider, eventsOf } from "./decider.ts"
import {
  initialSettings,
  isSettingEvent,
  type SettingChange,
  settingChanges,
  settingEvent,
  settingEvents,
  settingOf,
  type SettingValues
} from "./branch-settings.ts"
import { Sealed } from "./sealed.ts"
import { type Conditions, isSameConditions, Policy } from "./slip/conditions.ts"

/** A branch holds API keys, IP rules, a monthly quota and a webhook. Its stream is `branch-{id}`. */

// These names are the storage format: add, never edit.
export const BranchEvent = Schema.TaggedUnion({
  BranchCreated: { branchId: Schema.String, serviceId: Schema.String, name: Schema.String, isMain: Schema.Boolean },
  BranchRenamed: { name: Schema.String },
  ...keyEvents,
  ...settingEvents,
  /** Until `previousExpiresAt` both the new and the previous secret sign. Times are ISO 8601. */
  WebhookSecretRotated: {
    secret: Sealed,
    effectiveAt: Schema.String,
    previousExpiresAt: Schema.NullOr(Schema.String)
  },
  /** The same secrets, sealed anew. `previous` is null without an overlap. */
  WebhookSecretResealed: { secret: Sealed, previous: Schema.NullOr(Sealed) },
  BranchDeactivated: {},
  BranchActivated: {},
  /** The conditions that judge verifications of the branch from now on (docs/spec/http.md, "Policy"). */
  PolicySet: Policy.fields,
  PolicyRemoved: {}
})
export type BranchEvent = typeof BranchEvent.Type
type WebhookSecretRotated = Extract<BranchEvent, { readonly _tag: "WebhookSecretRotated" }>
type WebhookSecretResealed = Extract<BranchEvent, { readonly _tag: "WebhookSecretResealed" }>

export interface BranchState extends BranchKeys, SettingValues {
  readonly created: boolean
  readonly serviceId: string
  readonly active: boolean
  readonly name: string
  readonly webhookSecret: Sealed | null
  /** The previous secret, which also signs until `expiresAt` (ISO 8601); null without an overlap. */
  readonly previousWebhookSecret: { readonly secret: Sealed; readonly expiresAt: string } | null
  readonly policy: Policy | null
  /** The latest version of a policy, also of a removed one; 0 before the first. */
  readonly policyVersion: number
}

/**
 * The webhook secrets that sign at a moment (milliseconds since 1970), the newest first. The newest one signs as soon
 * as it is in the log, without regard to the clock of this process: a leaked secret must be replaced at once.
 */
export const signingSecrets = (state: BranchState, at: number): ReadonlyArray<Sealed> => {
  const { previousWebhookSecret: previous, webhookSecret: newest } = state
  if (newest === null) return []
  return previous !== null && at < Date.parse(previous.expiresAt) ? [newest, previous.secret] : [newest]
}

/** Keeps at most two secrets: a rotation within an overlap drops the oldest one. Without an overlap it keeps one. */
const rotated = (state: BranchState, event: WebhookSecretRotated): BranchState => {
  const { effectiveAt, previousExpiresAt: expiresAt, secret } = event
  const previous = state.webhookSecret
  const overlaps = previous !== null && expiresAt !== null && Date.parse(expiresAt) > Date.parse(effectiveAt)
  return { ...state, webhookSecret: secret, previousWebhookSecret: overlaps ? { secret: previous, expiresAt } : null }
}

const resealed = (state: BranchState, { previous, secret }: WebhookSecretResealed): BranchState => {
  const { previousWebhookSecret: older } = state
  const resealedOlder = older === null || previous === null ? older : { ...older, secret: previous }
  return { ...state, webhookSecret: secret, previousWebhookSecret: resealedOlder }
}

const evolve = (state: BranchState, event: BranchEvent): BranchState => {
  if (isSettingEvent(event)) return { ...state, ...settingOf(event) }
  switch (event._tag) {
    case "BranchCreated":
      return { ...state, created: true, active: true, serviceId: event.serviceId, name: event.name }
    case "BranchRenamed":
      return { ...state, name: event.name }
    case "ApiKeyIssued":
    case "ApiKeyRevoked":
    case "ApiKeyExpirySet":
      return { ...state, ...evolveKeys(state, event) }
    case "WebhookSecretRotated":
      return rotated(state, event)
    case "WebhookSecretResealed":
      return resealed(state, event)
    case "BranchDeactivated":
      return { ...state, active: false }
    case "BranchActivated":
      return { ...state, active: true }
    case "PolicySet": {
      const { conditions, version } = event
      return { ...state, policy: { version, conditions }, policyVersion: version }
    }
    case "PolicyRemoved":
      return { ...state, policy: null }
  }
}

/** The name and the settings of a branch that an operator can change. Absent ones stay as they are. */
export interface BranchSettings extends SettingChange {
  readonly name?: string | undefined
}

export type BranchCommand =
  | {
    readonly _tag: "CreateBranch"
    readonly branchId: string
    readonly serviceId: string
    readonly isMain: boolean
    readonly name: string
    readonly keyDigest: string
    readonly webhookSecret: Sealed
    readonly at: string
    readonly settings: BranchSettings
  }
  | { readonly _tag: "ChangeBranch"; readonly settings: BranchSettings }
  | KeyCommand
  | {
    readonly _tag: "RotateWebhookSecret"
    readonly secret: Sealed
    readonly effectiveAt: string
    readonly previousExpiresAt: string
  }
  /** No effect unless the newest secret still has the ciphertext `replaces`. */
  | {
    readonly _tag: "ResealWebhookSecret"
    readonly replaces: string
    readonly secret: Sealed
    readonly previous: Sealed | null
  }
  | { readonly _tag: "DeactivateBranch" | "ActivateBranch" | "RemovePolicy" }
  | { readonly _tag: "SetPolicy"; readonly conditions: Conditions }

export class BranchNotFound extends Schema.TaggedError<BranchNotFound>()("BranchNotFound", {}) {}

/** Only commands about keys have the rejections about keys. */
type BranchRejection = BranchNotFound | ApiKeyNotFound | ApiKeyRefused

const make = eventsOf(BranchEvent)

const changes = ({ name, ...settings }: BranchSettings, state: BranchState): ReadonlyArray<Complete<BranchEvent>> => [
  ...(name !== undefined && name !== state.name ? [make.BranchRenamed({ name })] : []),
  ...settingChanges(settings, state)
]

/** The log of a branch has always stated its quota, also when it is unlimited. */
const firstSettings = (settings: BranchSettings, state: BranchState): ReadonlyArray<Complete<BranchEvent>> => [
  settingEvent("quota", settings.quota ?? null),
  ...settingChanges({ ...settings, quota: undefined }, state)
]

const create = (
  command: Extract<BranchCommand, { readonly _tag: "CreateBranch" }>,
  state: BranchState
): ReadonlyArray<Complete<BranchEvent>> => {
  const { at, branchId, isMain, keyDigest, name, serviceId, settings, webhookSecret } = command
  return [
    make.BranchCreated({ branchId, serviceId, name, isMain }),
    issueDefaultKey(keyDigest),
    make.WebhookSecretRotated({ secret: webhookSecret, effectiveAt: at, previousExpiresAt: null }),
    ...firstSettings(settings, state)
  ]
}

/** A version is never used twice, also after the policy was removed: recorded verdicts name it. */
const setPolicy = (
  conditions: Conditions,
  { policy, policyVersion }: BranchState
): ReadonlyArray<Complete<BranchEvent>> =>
  policy !== null && isSameConditions(policy.conditions, conditions)
    ? []
    : [make.PolicySet({ version: policyVersion + 1, conditions })]

const decide = (
  command: BranchCommand,
  state: BranchState
): Result.Result<ReadonlyArray<Complete<BranchEvent>>, BranchRejection> => {
  if (command._tag === "CreateBranch") return Result.succeed(state.created ? [] : create(command, state))
  if (!state.created) return Result.fail(new BranchNotFound())
  switch (command._tag) {
    case "ChangeBranch":
      return Result.succeed(changes(command.settings, state))
    case "RotateApiKey":
    case "IssueApiKey":
    case "ReplaceApiKey":
    case "RevokeApiKey":
      return decideKeys(command, state)
    case "RotateWebhookSecret": {
      const { effectiveAt, previousExpiresAt, secret } = command
      if (secret.c === state.webhookSecret?.c) return Result.succeed([])
      return Result.succeed([make.WebhookSecretRotated({ secret, effectiveAt, previousExpiresAt })])
    }
    case "ResealWebhookSecret": {
      const { previous, replaces, secret } = command
      const isCurrent = state.webhookSecret?.c === replaces
      return Result.succeed(isCurrent ? [make.WebhookSecretResealed({ secret, previous })] : [])
    }
    case "DeactivateBranch":
      return Result.succeed(state.active ? [make.BranchDeactivated({})] : [])
    case "ActivateBranch":
      return Result.succeed(state.active ? [] : [make.BranchActivated({})])
    case "SetPolicy":
      return Result.succeed(setPolicy(command.conditions, state))
    case "RemovePolicy":
      return Result.succeed(state.policy === null ? [] : [make.PolicyRemoved({})])
  }
}

export const branch: Decider<BranchCommand, BranchState, BranchEvent, BranchRejection> = {
  initialState: {
    created: false,
    serviceId: "",
    active: false,
    name: "",
    ...noKeys,
    ...initialSettings,
    webhookSecret: null,
    previousWebhookSecret: null,
    policy: null,
    policyVersion: 0
  },
  evolve,
  decide,
  isTerminal: () => false
}
