import type { JsonObject, RecordedEvent } from "../../application/ports/event-store.ts"
import { accountSentences } from "./account-story.ts"
import { jobSentences } from "./job-story.ts"
import { requestSentences } from "./request-story.ts"
import { compared, parties, remarked } from "./transfer-words.ts"
import { answeredBy, asked, baht, printable, say } from "./words.ts"

const verdict = (data: JsonObject): string => {
  const cost = data["charged"] === true ? "charged 1" : "free of charge"
  const expected = data["expectedAmount"]
  const amount = typeof expected !== "number"
    ? ""
    : `; ${baht(expected)} expected: ${data["isAmountMatched"] === true ? "matches" : "does not match"}`
  return cost + amount + compared(data) + remarked(data)
}

/** One sentence an event type, from its data. */
const sentences: Readonly<Record<string, (data: JsonObject) => string>> = {
  AccountRegistered: () => "Account registered",
  AccountVerified: () => "Account verified",
  AccountBanned: ({ reason }) => `Account banned${reason === null ? "" : `: ${say(reason)}`}`,
  AccountUnbanned: () => "Account unbanned",
  ServiceCreated: ({ name, plan }) => `Service ${say(name)} created on plan ${say(plan)}`,
  ServiceRenamed: ({ name }) => `Service renamed to ${say(name)}`,
  ServicePlanChanged: ({ plan }) => `Plan changed to ${say(plan)}`,
  ServiceExpirySet: ({ expiresAt }) =>
    expiresAt === null ? "Service no longer expires" : `Service expires ${say(expiresAt)}`,
  ServiceDeactivated: () => "Service deactivated",
  ServiceActivated: () => "Service activated",
  ServiceBanned: ({ reason }) => `Service banned${reason === null ? "" : `: ${say(reason)}`}`,
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
    `Slip of bank ${say(data["sendingBank"])} over ${baht(data["amount"])}, ` +
    `transferred ${say(data["transferredAt"])}${parties(data)}, verified for the first time: ` +
    `${answeredBy(data)}; ${verdict(data)}`,
  SlipVerifiedAgain: (data) => `Slip verified again, a duplicate; ${verdict(data)}`,
  VerificationFailed: (data) => `Verification ended with ${say(data["code"])}: ${say(data["why"])}${asked(data)}`,
  PersonalDataForgotten: ({ jobIds, reason }) =>
    "Personal data forgotten: what was sealed can't be opened any more" +
    (Array.isArray(jobIds) && jobIds.length > 0 ? `, nor that of ${jobIds.length} job(s)` : "") +
    (reason === null ? "" : `; reason: ${say(reason)}`),
  CheckpointSigned: ({ count, keyId, number, position }) =>
    `Checkpoint ${say(number)} signed by key ${say(keyId)}: the ${say(count)} events up to position ${say(position)}`,
  ...jobSentences,
  ...accountSentences,
  ...requestSentences
}

/** An event in plain words, with its time and who caused it. Types of later versions are told by their name. */
export const tell = ({ data, metadata: { actor, at }, type }: RecordedEvent): string => {
  const sentence = sentences[type]?.(data) ?? type
  const account = type.startsWith("BankAccount") ? data["accountId"] : undefined
  const about = [["verification", data["verificationId"]], ["job", data["jobId"]], ["account", account]] as const
  const [of = ""] = about.flatMap(([what, id]) => typeof id === "string" ? [`, ${what} ${id}`] : [])
  return printable(`${at}  ${sentence}  (${actor.kind} ${actor.id}${of})`)
}
