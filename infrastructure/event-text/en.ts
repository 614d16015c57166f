import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { enAccounts } from "./en-accounts.ts"
import { enJobs } from "./en-jobs.ts"
import { enRequests } from "./en-requests.ts"
import { compared, parties, remarked } from "./en-transfer.ts"
import { answeredBy, asked, baht } from "./en-words.ts"
import { because, say, type Sentence } from "./messages.ts"

const verdict = (data: JsonObject): string => {
  const cost = data["charged"] === true ? "charged 1" : "free of charge"
  const expected = data["expectedAmount"]
  const amount = typeof expected !== "number"
    ? ""
    : `; ${baht(expected)} expected: ${data["isAmountMatched"] === true ? "matches" : "does not match"}`
  return cost + amount + compared(data) + remarked(data)
}

/** One sentence an event type, from its data; names and numbers as far as they are opened in it. */
export const enStory = {
  AccountRegistered: () => "Account registered",
  AccountVerified: () => "Account verified",
  AccountBanned: ({ reason }) => `Account banned${because(reason)}`,
  AccountUnbanned: () => "Account unbanned",
  ServiceCreated: ({ name, plan }) => `Service ${say(name)} created on plan ${say(plan)}`,
  ServiceRenamed: ({ name }) => `Service renamed to ${say(name)}`,
  ServicePlanChanged: ({ plan }) => `Plan changed to ${say(plan)}`,
  ServiceExpirySet: ({ expiresAt }) =>
    expiresAt === null ? "Service no longer expires" : `Service expires ${say(expiresAt)}`,
  ServiceDeactivated: () => "Service deactivated",
  ServiceActivated: () => "Service activated",
  ServiceBanned: ({ reason }) => `Service banned${because(reason)}`,
  ServiceUnbanned: () => "Service unbanned",
  ServiceDeleted: () => "Service deleted",
  BranchCreated: ({ isMain, name }) => `${isMain === true ? "Main branch" : "Branch"} ${say(name)} created`,
  BranchRenamed: ({ name }) => `Branch renamed to ${say(name)}`,
  ApiKeyIssued: () => "API key issued",
  ApiKeyRevoked: () => "API key revoked",
  IpWhitelistSet: ({ entries }) => `Callers allowed from ${Array.isArray(entries) ? entries.join(", ") : say(entries)}`,
  QuotaSet: ({ quota }) => quota === null ? "Quota set to unlimited" : `Quota set to ${say(quota)} a month`,
  WebhookUrlSet: ({ url }) => url === null ? "Webhook URL removed" : `Webhook URL set to ${say(url)}`,
  WebhookSecretRotated: ({ previousExpiresAt }) =>
    previousExpiresAt === null
      ? "Webhook secret issued"
      : `Webhook secret rotated, the previous one signs until ${say(previousExpiresAt)}`,
  BranchDeactivated: () => "Branch deactivated",
  BranchActivated: () => "Branch activated",
  SlipVerified: (data) =>
    `Slip of bank ${say(data["sendingBank"])} over ${baht(data["amount"])}, `
    + `transferred ${say(data["transferredAt"])}${parties(data)}, verified for the first time: `
    + `${answeredBy(data)}; ${verdict(data)}`,
  SlipVerifiedAgain: (data) => `Slip verified again, a duplicate; ${verdict(data)}`,
  VerificationFailed: (data) => `Verification ended with ${say(data["code"])}: ${say(data["why"])}${asked(data)}`,
  PersonalDataForgotten: ({ jobIds, reason }) =>
    "Personal data forgotten: what was sealed can't be opened any more"
    + (Array.isArray(jobIds) && jobIds.length > 0 ? `, nor that of ${jobIds.length} job(s)` : "")
    + (reason === null ? "" : `; reason: ${say(reason)}`),
  CheckpointSigned: ({ count, keyId, number, position }) =>
    `Checkpoint ${say(number)} signed by key ${say(keyId)}: the ${say(count)} events up to position ${say(position)}`,
  ...enJobs,
  ...enAccounts,
  ...enRequests
} satisfies Readonly<Record<string, Sentence>>
