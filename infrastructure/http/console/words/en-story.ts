import type { JsonObject } from "../../../../application/ports/event-store.ts"
import { baht, say, type Sentence } from "./say.ts"

const because = (reason: unknown): string => typeof reason === "string" ? `: ${reason}` : ""

const cost: Sentence = ({ charged }) => charged === true ? "charged 1" : "free of charge"

const expected: Sentence = ({ expectedAmount, isAmountMatched }) => {
  if (typeof expectedAmount !== "number") return ""
  return `; ${baht(expectedAmount)} baht expected, ${
    isAmountMatched === true ? "which matches" : "which does not match"
  }`
}

const next = ({ nextAttemptAt }: JsonObject, none: string): string =>
  typeof nextAttemptAt === "string" ? "it is tried again later" : none

/** One sentence an event type, from its data. */
export const enStory = {
  AccountRegistered: () => "Account registered",
  AccountVerified: () => "Account verified",
  AccountBanned: ({ reason }) => `Account banned${because(reason)}`,
  AccountUnbanned: () => "Ban of the account lifted",
  ServiceCreated: ({ name, plan }) => `Service ${say(name)} created on plan ${say(plan)}`,
  ServiceRenamed: ({ name }) => `Service renamed to ${say(name)}`,
  ServicePlanChanged: ({ plan }) => `Plan changed to ${say(plan)}`,
  ServiceExpirySet: ({ expiresAt }) =>
    expiresAt === null ? "Service no longer expires" : `Service expires ${say(expiresAt)}`,
  ServiceDeactivated: () => "Service switched off",
  ServiceActivated: () => "Service switched on",
  ServiceBanned: ({ reason }) => `Service banned${because(reason)}`,
  ServiceUnbanned: () => "Ban of the service lifted",
  ServiceDeleted: () => "Service deleted",
  BranchCreated: ({ isMain, name }) => `${isMain === true ? "Main branch" : "Branch"} ${say(name)} created`,
  BranchRenamed: ({ name }) => `Branch renamed to ${say(name)}`,
  ApiKeyIssued: () => "API key issued",
  ApiKeyRevoked: () => "API key revoked",
  IpWhitelistSet: ({ entries }) => `Callers allowed from ${Array.isArray(entries) ? entries.join(", ") : say(entries)}`,
  QuotaSet: ({ quota }) => quota === null ? "Quota set to unlimited" : `Quota set to ${say(quota)} a month`,
  WebhookUrlSet: ({ url }) => url === null ? "Webhook URL removed" : `Webhook URL set to ${say(url)}`,
  WebhookSecretRotated: ({ previousExpiresAt }) =>
    previousExpiresAt === null ? "Webhook secret issued" : "Webhook secret rotated",
  BranchDeactivated: () => "Branch switched off",
  BranchActivated: () => "Branch switched on",
  BankAccountRegistered: ({ bankCode, movedFrom }) =>
    movedFrom === null
      ? `Receiving account at bank ${say(bankCode)} registered`
      : "Receiving account takes a new number",
  BankAccountChanged: () => "Receiving account changed",
  BankAccountLinked: () => "Receiving account linked to a branch",
  BankAccountUnlinked: () => "Receiving account taken from a branch",
  BankAccountDeactivated: ({ reason }) =>
    reason === "move-abandoned"
      ? "The new number of a receiving account is given back"
      : "Receiving account taken out of use",
  BankAccountMoved: () => "Receiving account has its new number",
  BankAccountMoveRefused: () => "Receiving account keeps its number",
  SlipVerified: (data) =>
    `Slip over ${baht(data["amount"])} baht verified for the first time: ${say(data["gateway"])} answered in ` +
    `${say(data["gatewayMillis"])} ms; ${cost(data)}${expected(data)}`,
  SlipVerifiedAgain: (data) => `Slip verified again, a duplicate; ${cost(data)}${expected(data)}`,
  VerificationFailed: ({ code, why }) => `Verification ended with ${say(code)}: ${say(why)}`,
  VerificationEnqueued: ({ batchIndex, batchSize, callbackUrl, charged }) =>
    "Slip handed over to be verified later" +
    (typeof batchIndex === "number" ? `, number ${batchIndex + 1} of ${say(batchSize)} in its batch` : "") +
    (charged === true ? "; holds 1 unit of the quota" : "") +
    (callbackUrl === null ? "; nobody is called back" : `; the result goes to ${say(callbackUrl)}`),
  VerificationAttemptFailed: (data) =>
    `Attempt ${say(data["attempt"])} ended with ${say(data["code"])}: ${say(data["why"])}; ${
      next(data, "it was the last one")
    }`,
  JobSucceeded: ({ attempt, charged, isDuplicate }) =>
    `Job succeeded with attempt ${say(attempt)}: ${isDuplicate === true ? "a duplicate" : "no duplicate"}; ` +
    (charged === true ? "charged 1" : "free of charge"),
  JobNotFound: ({ attempt, code }) =>
    `Job ended without a slip after attempt ${say(attempt)}: ${say(code)}; free of charge`,
  CallbackScheduled: ({ url }) => `Callback is to be sent to ${say(url)}`,
  CallbackSent: ({ attempt, host }) => `Callback goes out to ${say(host)}, attempt ${say(attempt)}`,
  CallbackAttemptFailed: (data) =>
    `Callback attempt ${say(data["attempt"])} failed after ${say(data["tookMillis"])} ms: ${say(data["reason"])}; ` +
    next(data, "it is given up"),
  CallbackDelivered: ({ host, status, tookMillis }) =>
    `Callback delivered: ${say(host)} answered ${say(status)} in ${say(tookMillis)} ms`,
  CallbackRejected: ({ host, status, tookMillis }) =>
    `Callback rejected: ${say(host)} answered ${say(status)} in ${say(tookMillis)} ms; it is not sent again`,
  CallbackAbandoned: ({ attempts, host }) => `Callback to ${say(host)} given up, sent ${say(attempts)} times`,
  CallbackRedeliveryRequested: () => "Callback asked to be sent again",
  RequestBegun: () => "Request with an Idempotency-Key begun",
  RequestRefused: ({ code }) => `Request refused for good: ${say(code)}`,
  RequestReleased: () => "Request led to nothing; its key is free again",
  PersonalDataRevealed: ({ by, command }) => `${say(by)} was shown personal data by ${say(command)}`,
  PersonalDataForgotten: ({ reason }) => `Personal data of the slip was destroyed for good${because(reason)}`
} satisfies Readonly<Record<string, Sentence>>
