import { Option, Schema } from "effect"
import { Details } from "../../application/sealing/sealed-data.ts"
import type { Json, JsonObject } from "../../domain/events/recorded-event.ts"
import { Sealed } from "../../domain/sealed.ts"
import { Conditions } from "../../domain/slip/conditions.ts"
import { Matching } from "../../domain/slip/matching/receiving-account.ts"
import { bankShown, nameShown, numberShown, type Receiver, type Sender, Transfer } from "../../domain/slip/transfer.ts"
import type { EarlierOutcome } from "../../domain/slip/gateway-reply.ts"
import {
  acceptanceOf,
  earlierGateways,
  type EventText,
  inBaht,
  isObject,
  keyText,
  reasonSuffix,
  text
} from "./event-text.ts"

const decodeDetails = Schema.decodeUnknownOption(Details)
const decodeConditions = Schema.decodeUnknownOption(Conditions)
const decodeMatching = Schema.decodeUnknownOption(Matching)
const decodeTransfer = Schema.decodeUnknownOption(Transfer)
const isSealed = Schema.is(Sealed)

/** An amount of satang in baht. */
export const baht = (satang: unknown): string => {
  const amount = inBaht(satang)
  return amount === undefined ? "an unknown amount" : `${amount} baht`
}

const earlierOutcomes: Readonly<Record<string, string>> = {
  "not-found": "did not know the slip",
  "not-authorised": "refused the account",
  "quota-exhausted": "had no questions left"
} satisfies Readonly<Record<Exclude<EarlierOutcome, "unavailable">, string>>

/** The gateway that answered and its response time, preceded by the gateways that did not decide the answer. */
export const gatewayText = (data: JsonObject): string =>
  earlierGateways(data).map(({ gateway, gatewayMillis, outcome, why }) =>
    `${text(gateway)} ${earlierOutcomes[text(outcome)] ?? "gave no answer"} in ${text(gatewayMillis)} ms (${
      text(why)
    }), `
  ).join("") + `${text(data["gateway"])} answered in ${text(data["gatewayMillis"])} ms`

/** The gateways as a suffix; empty when no bank was asked. */
export const gatewaySuffix = (data: JsonObject): string =>
  data["gateway"] === null || data["gateway"] === undefined ? "" : `; ${gatewayText(data)}`

const charge = ({ charged }: JsonObject): string => charged === true ? "charged 1 unit" : "free of charge"

const verdict = (data: JsonObject): string => {
  const { expectedAmount, isAmountMatched } = data
  const amount = typeof expectedAmount !== "number"
    ? ""
    : `; ${baht(expectedAmount)} expected: ${isAmountMatched === true ? "matches" : "does not match"}`
  return charge(data) + amount + matchingSuffix(data) + acceptanceSuffix(data) + remarkSuffix(data)
}

const partyText = (party: Sender | Receiver): string => {
  const account = [bankShown(party), numberShown(party)].filter((part) => part !== "")
  const name = nameShown(party) ?? "unknown name"
  return account.length === 0 ? name : `${name} (${account.join(" ")})`
}

const labelled = (label: string, value: string): string => value === "" ? "" : `, ${label} ${value}`

/** Sender and receiver; empty when the event does not show them. */
const partiesSuffix = ({ transfer }: JsonObject): string =>
  Option.match(decodeTransfer(transfer), {
    onNone: () =>
      isObject(transfer) && "unreadable" in transfer
        ? `, sender and receiver can't be read (${text(transfer["unreadable"])})`
        : "",
    onSome: ({ fee, receiver, ref1, ref2, ref3, sender, transRef }) =>
      `, from ${partyText(sender)} to ${partyText(receiver)}${labelled("merchant", receiver.merchantId ?? "")}`
      + labelled("reference", transRef)
      + labelled("references", [ref1, ref2, ref3].filter((ref) => ref !== "").join(" "))
      + (fee === 0 ? "" : `, fee ${baht(fee)}`)
  })

const matchingVerdicts = {
  match: "one of them matches",
  no_match: "none of them matches",
  indeterminate: "the slip shows too little to decide"
} as const

const matchingSuffix = ({ matching }: JsonObject): string => {
  if (matching === undefined || matching === null) return ""
  const compared = "; the receiver was compared with the branch's accounts"
  return Option.match(decodeMatching(matching), {
    onNone: () => compared,
    onSome: ({ account, reasons, verdict }) =>
      `${compared}, ${matchingVerdicts[verdict]}`
      + (account === null ? "" : `: ${account.nameTh} (${account.bankCode} ${account.bankNumber})`)
      + reasons.map((reason) => `; ${reason}`).join("")
  })
}

/** The verdict on the conditions; empty without conditions. */
const acceptanceSuffix = (data: JsonObject): string => {
  const acceptance = acceptanceOf(data)
  if (acceptance === undefined) return ""
  const { accepted, policyVersion, reasons } = acceptance
  return (accepted ? "; accepted" : `; not accepted: ${reasons.map(({ code }) => code).join(", ")}`)
    + (policyVersion === null ? "" : `, under version ${policyVersion} of the policy`)
}

const parts = (...sentences: ReadonlyArray<string | undefined>): string =>
  sentences.filter((part) => part !== undefined).join(", ")

const receiverTexts = { registered: "to a registered bank account", listed: "to an account of the request" } as const

/** Conditions as a phrase. */
const conditionsText = (value: Json | undefined): string =>
  Option.match(decodeConditions(value), {
    onNone: () => "unknown conditions",
    onSome: ({ amount = {}, duplicate, receivers, sendingBanks, transferredAt = {} }) =>
      parts(
        amount.equals === undefined ? undefined : `exactly ${baht(amount.equals)}`,
        amount.atLeast === undefined ? undefined : `at least ${baht(amount.atLeast)}`,
        amount.atMost === undefined ? undefined : `at most ${baht(amount.atMost)}`,
        transferredAt.after === undefined ? undefined : `transferred after ${text(transferredAt.after)}`,
        transferredAt.before === undefined ? undefined : `transferred before ${text(transferredAt.before)}`,
        transferredAt.withinMinutes === undefined
          ? undefined
          : `transferred at most ${transferredAt.withinMinutes} minutes ago`,
        receivers === undefined ? undefined : receiverTexts[receivers],
        sendingBanks === undefined ? undefined : `from bank ${sendingBanks.map(text).join(" or ")}`,
        duplicate === "allow" ? "duplicates allowed" : "no duplicate"
      )
  })

const conditionsSuffix = ({ conditions, policyVersion }: JsonObject): string =>
  (conditions === undefined ? "" : `; accepted if ${conditionsText(conditions)}`)
  + (typeof policyVersion === "number" ? `, under version ${policyVersion} of the policy` : "")

/** The caller's remark; empty when the event does not show it. */
const remarkSuffix = ({ remark }: JsonObject): string =>
  typeof remark === "string" ? `; remark ${JSON.stringify(remark)}` : ""

const batchSuffix = ({ batchId, batchIndex, batchSize }: JsonObject): string =>
  typeof batchIndex === "number" ? `, number ${batchIndex + 1} of ${text(batchSize)} in batch ${text(batchId)}` : ""

/** The slip source that the caller sent; empty when the event does not show it. */
const sourceSuffix = ({ accounts, source }: JsonObject): string =>
  (isObject(source) && !isSealed(source) ? `; source ${JSON.stringify(source)}` : "")
  + (isObject(accounts) ? "; the receiver will be compared with the branch's accounts" : "")

/** The job's result; empty when the event does not show it. */
const resultSuffix = ({ result }: JsonObject): string =>
  isObject(result) && !isSealed(result) ? `; result ${JSON.stringify(result)}` : ""

const nextAttempt = ({ nextAttemptAt }: JsonObject): string =>
  nextAttemptAt === null ? "no further attempt" : `next attempt due ${text(nextAttemptAt)}`

const callbackAnswer = ({ attempt, host, status, tookMillis }: JsonObject): string =>
  `with attempt ${text(attempt)}: ${text(host)} answered ${text(status)} in ${text(tookMillis)} ms`

/** A bank account's number and holder; undefined when the event does not show them. */
const accountDetails = ({ details }: JsonObject): string | undefined =>
  Option.getOrUndefined(
    Option.map(
      decodeDetails(details),
      ({ bankNumber, merchantId, nameTh, ref1 }) =>
        `${[bankNumber, ref1, merchantId].filter((number) => number).join(" ")} of ${nameTh}`
    )
  )

const accountNumber = (data: JsonObject): string => {
  const details = accountDetails(data)
  return `at bank ${text(data["bankCode"])}${details === undefined ? "" : `, ${details}`}`
}

/** The selected part of the log: a slip is named by its digest. */
const exportedSubject = (subject: Json | undefined): string =>
  isObject(subject) ? `Trail of ${text(subject["kind"])} ${text(subject["id"])}` : "Log"

/** English: one sentence for each event type. Names and numbers are included when the event shows them. */
export const enEventTexts = {
  AccountRegistered: () => "Account registered",
  AccountVerified: () => "Account verified",
  AccountBanned: ({ reason }) => `Account banned${reasonSuffix(reason)}`,
  AccountUnbanned: () => "Account unbanned",

  ServiceCreated: ({ name, plan }) => `Service ${text(name)} created on plan ${text(plan)}`,
  ServiceRenamed: ({ name }) => `Service renamed to ${text(name)}`,
  ServicePlanChanged: ({ plan }) => `Plan changed to ${text(plan)}`,
  ServiceExpirySet: ({ expiresAt }) =>
    expiresAt === null ? "Service no longer expires" : `Service expires ${text(expiresAt)}`,
  ServiceDeactivated: () => "Service deactivated",
  ServiceActivated: () => "Service activated",
  ServiceBanned: ({ reason }) => `Service banned${reasonSuffix(reason)}`,
  ServiceUnbanned: () => "Service unbanned",
  ServiceDeleted: () => "Service deleted",

  BranchCreated: ({ isMain, name }) => `${isMain === true ? "Main branch" : "Branch"} ${text(name)} created`,
  BranchRenamed: ({ name }) => `Branch renamed to ${text(name)}`,
  ApiKeyIssued: ({ expiresAt, keyDigest, name, networks, scopes }) =>
    `API key ${keyText(keyDigest)} issued`
    + (name === undefined ? ", the default key" : ` as ${text(name)}`)
    + (Array.isArray(scopes) ? `, for ${scopes.join(", ")}` : "")
    + (expiresAt === undefined ? "" : `, until ${text(expiresAt)}`)
    + (Array.isArray(networks) ? `, from ${networks.join(", ")}` : ""),
  ApiKeyRevoked: ({ keyDigest }) => `API key ${keyText(keyDigest)} revoked`,
  ApiKeyExpirySet: ({ expiresAt, keyDigest }) =>
    `API key ${keyText(keyDigest)} replaced; it works until ${text(expiresAt)}`,
  ApiKeyUsed: ({ day, keyDigest }) => `API key ${keyText(keyDigest)} used on ${text(day)}`,
  IpWhitelistSet: ({ entries }) =>
    `Allowed callers set to ${Array.isArray(entries) ? entries.join(", ") : text(entries)}`,
  QuotaSet: ({ quota }) => quota === null ? "Quota set to unlimited" : `Quota set to ${text(quota)} per month`,
  WebhookUrlSet: ({ url }) => url === null ? "Webhook URL removed" : `Webhook URL set to ${text(url)}`,
  WebhookSecretRotated: ({ previousExpiresAt }) =>
    previousExpiresAt === null
      ? "Webhook secret issued"
      : `Webhook secret rotated, the previous secret also signs until ${text(previousExpiresAt)}`,
  BranchDeactivated: () => "Branch deactivated",
  BranchActivated: () => "Branch activated",
  PolicySet: ({ conditions, version }) => `Policy set to version ${text(version)}: ${conditionsText(conditions)}`,
  PolicyRemoved: () => "Policy removed",

  SlipVerified: (data) =>
    `Slip of bank ${text(data["sendingBank"])} over ${baht(data["amount"])}, `
    + `transferred ${text(data["transferredAt"])}${partiesSuffix(data)}, verified for the first time: `
    + `${gatewayText(data)}; ${verdict(data)}`,
  SlipVerifiedAgain: (data) => `Slip verified again, a duplicate; ${verdict(data)}`,
  VerificationFailed: (data) =>
    `Verification ended with ${text(data["code"])}: ${text(data["why"])}${gatewaySuffix(data)}`,
  PersonalDataForgotten: ({ jobIds, reason }) =>
    "Personal data erased: the sealed data of the slip can no longer be opened"
    + (Array.isArray(jobIds) && jobIds.length > 0 ? `, nor that of ${jobIds.length} job(s)` : "")
    + (reason === null ? "" : `; reason: ${text(reason)}`),
  CheckpointSigned: ({ count, keyId, number, position }) =>
    `Tree head ${text(number)} signed by key ${text(keyId)}: ${text(count)} events up to position ${text(position)}`,

  VerificationEnqueued: (data) =>
    `Slip accepted for later verification${batchSuffix(data)}; `
    + (data["charged"] === true ? "holds 1 unit of the quota" : "holds no unit of the quota")
    + (typeof data["expectedAmount"] === "number" ? `; ${baht(data["expectedAmount"])} expected` : "")
    + conditionsSuffix(data) + sourceSuffix(data) + remarkSuffix(data)
    + (data["callbackUrl"] === null ? "; no callback" : `; callback to ${text(data["callbackUrl"])}`),
  VerificationAttemptFailed: (data) =>
    `Attempt ${text(data["attempt"])} ended with ${text(data["code"])}: ${text(data["why"])}${gatewaySuffix(data)}; `
    + nextAttempt(data),
  JobSucceeded: (data) =>
    `Job succeeded with attempt ${text(data["attempt"])}: `
    + `the slip is ${data["isDuplicate"] === true ? "a duplicate" : "not a duplicate"}; `
    + charge(data) + resultSuffix(data),
  JobNotFound: (data) =>
    `Job ended without a verified slip after attempt ${text(data["attempt"])}: ${text(data["code"])}; free of charge`
    + resultSuffix(data),
  CallbackScheduled: ({ url }) => `Callback to ${text(url)} scheduled`,
  CallbackSent: ({ attempt, host }) => `Callback attempt ${text(attempt)} sent to ${text(host)}`,
  CallbackAttemptFailed: (data) =>
    `Callback attempt ${text(data["attempt"])} failed after ${text(data["tookMillis"])} ms: ${text(data["reason"])}; `
    + nextAttempt(data),
  CallbackDelivered: (data) => `Callback delivered ${callbackAnswer(data)}`,
  CallbackRejected: (data) => `Callback rejected ${callbackAnswer(data)}; no further attempt`,
  CallbackAbandoned: ({ attempts, host }) =>
    `Callback to ${text(host)} abandoned after ${text(attempts)} ${attempts === 1 ? "attempt" : "attempts"}`,
  CallbackRedeliveryRequested: ({ nextAttemptAt }) =>
    `Callback redelivery requested, due ${text(nextAttemptAt)}; the retry schedule restarts`,

  BankAccountRegistered: (data) =>
    data["movedFrom"] === null
      ? `Bank account ${accountNumber(data)} registered and linked to branch ${text(data["branchId"])}`
      : `Move of the bank account to a number ${accountNumber(data)} started`,
  BankAccountChanged: (data) => {
    const details = accountDetails(data)
    return `Bank account changed${details === undefined ? "" : ` to ${details}`}`
  },
  BankAccountLinked: ({ branchId }) => `Bank account linked to branch ${text(branchId)}`,
  BankAccountUnlinked: ({ branchId }) => `Bank account unlinked from branch ${text(branchId)}`,
  BankAccountDeactivated: ({ reason }) =>
    reason === "move-abandoned"
      ? "Move of the bank account abandoned: it keeps its old number, the new number is free again"
      : "Bank account deactivated, its number is free again",
  BankAccountMoved: (data) => `Bank account moved to a number ${accountNumber(data)}`,
  BankAccountMoveRefused: () => "Move of the bank account refused: it keeps its old number",

  RequestBegun: () => "Request with an Idempotency-Key started",
  RequestRefused: ({ code, message }) =>
    `Request with an Idempotency-Key rejected permanently with ${text(code)}: ${text(message)}`,
  RequestReleased: () => "Request ended without a result to remember, its Idempotency-Key is free again",
  PersonalDataRevealed: ({ by, command, from, to }) =>
    `Personal data shown to ${text(by)}, by ${text(command)}`
    + (from === null ? "" : `, from ${text(from)}`) + (to === null ? "" : `, up to ${text(to)}`),
  TrailExported: ({ after, format, from, personalData, subject, to }) =>
    `${exportedSubject(subject)} exported as ${text(format).toUpperCase()}, personal data ${text(personalData)}`
    + (from === null ? "" : `, from ${text(from)}`) + (to === null ? "" : `, up to ${text(to)}`)
    + (after === null ? "" : `, after position ${text(after)}`),
  ConsoleSessionEnded: () => "Session of the console ended by signing out",
  ConsoleSessionsEnded: ({ operator }) =>
    operator === undefined
      ? "All sessions of the console ended"
      : `All sessions of the console of operator ${text(operator)} ended`,
  OperatorAdded: ({ name, role }) => `Operator ${text(name)} added with the role ${text(role)}`,
  OperatorRoleChanged: ({ name, role }) => `Role of operator ${text(name)} changed to ${text(role)}`,
  OperatorTokenIssued: ({ name }) => `New token issued for operator ${text(name)}`,
  OperatorRemoved: ({ name }) => `Operator ${text(name)} removed`,
  OperatorSignedIn: ({ operator, role, source }) =>
    `Operator ${text(operator)} signed in to the console with the role ${text(role)}`
    + (source === "oidc" ? ", at the OpenID Connect provider" : ""),
  OperatorRefused: ({ operation, operator, surface }) =>
    `Operator ${text(operator)} was refused ${text(operation)} ${
      surface === "console" ? "in the console" : "over the admin API"
    }: the role is missing`
} satisfies Readonly<Record<string, EventText>>

/** A sentence for each event type, in one language. */
export type EventTexts = Readonly<Record<keyof typeof enEventTexts, EventText>>
