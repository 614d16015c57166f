import {
  accountDetails,
  accountNumber,
  baht,
  batchSuffix,
  callbackAnswer,
  charge,
  conditionsSuffix,
  conditionsText,
  exportedSubject,
  gatewaySuffix,
  gatewayText,
  nextAttempt,
  partiesSuffix,
  provenSubject,
  remarkSuffix,
  resultSuffix,
  sourceSuffix,
  verdict
} from "./event-phrases.ts"
import { endCodeText, type EventText, keyText, reasonSuffix, text, timeText } from "../../event-text/event-text.ts"

/** English: one sentence for each event type. Names and numbers are included when the event shows them. */
export const enEventTexts = {
  AccountRegistered: () => "Account registered",
  AccountVerified: () => "Account verified",
  AccountBanned: ({ reason }) => `Account banned${reasonSuffix(reason)}`,
  AccountUnbanned: () => "Account unbanned",
  AccountContactResealed: () => "Contact of the account sealed anew",

  ServiceCreated: ({ name, plan }) => `Service ${text(name)} created on plan ${text(plan)}`,
  ServiceRenamed: ({ name }) => `Service renamed to ${text(name)}`,
  ServicePlanChanged: ({ plan }) => `Plan changed to ${text(plan)}`,
  ServiceExpirySet: ({ expiresAt }) =>
    expiresAt === null ? "Service no longer expires" : `Service expires ${timeText(expiresAt)}`,
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
    + (expiresAt === undefined ? "" : `, until ${timeText(expiresAt)}`)
    + (Array.isArray(networks) ? `, from ${networks.join(", ")}` : ""),
  ApiKeyRevoked: ({ keyDigest }) => `API key ${keyText(keyDigest)} revoked`,
  ApiKeyExpirySet: ({ expiresAt, keyDigest }) =>
    `API key ${keyText(keyDigest)} replaced; it works until ${timeText(expiresAt)}`,
  ApiKeyUsed: ({ day, keyDigest }) => `API key ${keyText(keyDigest)} used on ${text(day)}`,
  IpWhitelistSet: ({ entries }) =>
    `Allowed callers set to ${Array.isArray(entries) ? entries.join(", ") : text(entries)}`,
  QuotaSet: ({ quota }) => quota === null ? "Quota set to unlimited" : `Quota set to ${text(quota)} per month`,
  WebhookUrlSet: ({ url }) => url === null ? "Webhook URL removed" : `Webhook URL set to ${text(url)}`,
  WebhookSecretRotated: ({ previousExpiresAt }) =>
    previousExpiresAt === null
      ? "Webhook secret issued"
      : `Webhook secret rotated, the previous secret also signs until ${timeText(previousExpiresAt)}`,
  WebhookSecretResealed: () => "Webhook secret sealed anew; the secret is the same",
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
    `Verification ended with ${endCodeText(data)}: ${text(data["why"])}${gatewaySuffix(data)}`,
  NoteAdded: ({ note }) => `Note added by the branch${typeof note === "string" ? `: ${JSON.stringify(note)}` : ""}`,
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
    `Callback redelivery requested, due ${timeText(nextAttemptAt)}; the retry schedule restarts`,

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
  BankAccountResealed: () => "Bank account sealed anew; its number and names are the same",

  SealedValuesBound: () => "From here on, each sealed value of the log opens in its own record only",
  RequestBegun: () => "Request with an Idempotency-Key started",
  RequestRefused: ({ code, message }) =>
    `Request with an Idempotency-Key rejected permanently with ${text(code)}: ${text(message)}`,
  RequestReleased: () => "Request ended without a result to remember, its Idempotency-Key is free again",
  PersonalDataRevealed: ({ by, command, from, to }) =>
    `Personal data shown to ${text(by)}, by ${text(command)}`
    + (from === null ? "" : `, from ${timeText(from)}`) + (to === null ? "" : `, up to ${timeText(to)}`),
  TrailExported: ({ after, format, from, personalData, subject, to }) =>
    `${exportedSubject(subject)} exported as ${text(format).toUpperCase()}, personal data ${text(personalData)}`
    + (from === null ? "" : `, from ${timeText(from)}`) + (to === null ? "" : `, up to ${timeText(to)}`)
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
  OperatorRefused: ({ operation, operator, reason, subject, surface }) =>
    `Operator ${text(operator)} was refused ${text(operation)} ${
      surface === "console" ? "in the console" : "over the admin API"
    }: ${reason === "name-taken" ? "the name belongs to another account" : "the role is missing"}`
    + (subject === undefined ? "" : ` (account ${text(subject)})`),
  ProjectionRebuildRequested: ({ projection }) => `Rebuild of the read model ${text(projection)} requested`,
  ProjectionComparisonRequested: ({ projection }) =>
    `Comparison of the read model ${text(projection)} with the log requested`,
  EventsProven: ({ subject }) => `Proof made of the events of ${provenSubject(subject)}`,
  RedeliveryChangedNothing: ({ from, host, jobId, to }) =>
    `Redelivery requested ${
      jobId !== null
        ? `for job ${text(jobId)}`
        : host !== null
        ? `for host ${text(host)}`
        : `from ${timeText(from)} to ${timeText(to)}`
    }: there was nothing to send again`,
  OidcNameBound: ({ issuer, name, subject }) =>
    `Name ${text(name)} given to the account ${text(subject)} of ${text(issuer)}`,
  SignInLinkMade: ({ expiresAt, name }) => `Sign-in link for ${text(name)} made, valid until ${text(expiresAt)}`,
  SignInLinkRedeemed: ({ keyDigest }) => `Sign-in link redeemed: it issued API key ${keyText(keyDigest)}`,
  SignInLinkWithdrawn: () => "Sign-in link withdrawn",
  ShopSessionEnded: () => "Signed out of the shop's page"
} satisfies Readonly<Record<string, EventText>>

/** A sentence for each event type, in one language. */
export type EventTexts = Readonly<Record<keyof typeof enEventTexts, EventText>>
