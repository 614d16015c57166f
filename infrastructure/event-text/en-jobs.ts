import { Schema } from "effect"
import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { Sealed } from "../../domain/sealed.ts"
import { remarked } from "./en-transfer.ts"
import { asked, baht } from "./en-words.ts"
import { isObject, say, type Sentence } from "./messages.ts"

/** One sentence an event type of jobs and of their callbacks, from its data. */
export const enJobs = {
  VerificationEnqueued: (data) =>
    `Slip handed over to be verified later${placeInBatch(data)}; `
    + (data["charged"] === true ? "holds 1 unit of the quota" : "holds no unit of the quota")
    + (typeof data["expectedAmount"] === "number" ? `; ${baht(data["expectedAmount"])} expected` : "")
    + handedOver(data) + remarked(data)
    + (data["callbackUrl"] === null ? "; nobody is called back" : `; the result goes to ${say(data["callbackUrl"])}`),
  VerificationAttemptFailed: (data) =>
    `Attempt ${say(data["attempt"])} ended with ${say(data["code"])}: ${say(data["why"])}${asked(data)}; `
    + next(data, "it is the last one"),
  JobSucceeded: (data) =>
    `Job succeeded with attempt ${say(data["attempt"])}: `
    + `the slip is ${data["isDuplicate"] === true ? "a duplicate" : "no duplicate"}; `
    + (data["charged"] === true ? "charged 1" : "free of charge, the unit goes back") + result(data),
  JobNotFound: (data) =>
    `Job ended without a slip after attempt ${say(data["attempt"])}: ${say(data["code"])}; `
    + `free of charge, the unit goes back${result(data)}`,
  CallbackScheduled: ({ url }) => `Callback is to be sent to ${say(url)}`,
  CallbackSent: ({ attempt, host }) => `Callback goes out to ${say(host)}, attempt ${say(attempt)}`,
  CallbackAttemptFailed: (data) =>
    `Callback attempt ${say(data["attempt"])} failed after ${say(data["tookMillis"])} ms: ${say(data["reason"])}; `
    + next(data, "it is given up"),
  CallbackDelivered: (data) => `Callback delivered ${answered(data)}`,
  CallbackRejected: (data) => `Callback rejected ${answered(data)}; it is not sent again`,
  CallbackAbandoned: ({ attempts, host }) => `Callback to ${say(host)} abandoned, sent ${times(attempts)}`,
  CallbackRedeliveryRequested: ({ nextAttemptAt }) =>
    `Callback asked to be sent again, due ${say(nextAttemptAt)}; its retries begin anew`
} satisfies Readonly<Record<string, Sentence>>

const placeInBatch = ({ batchId, batchIndex, batchSize }: JsonObject): string =>
  typeof batchIndex === "number" ? `, number ${batchIndex + 1} of ${say(batchSize)} in batch ${say(batchId)}` : ""

/** What was handed over, where it is opened. */
const handedOver = ({ accounts, source }: JsonObject): string =>
  (isObject(source) && !isSealed(source) ? `; it is ${JSON.stringify(source)}` : "")
  + (isObject(accounts) ? "; the receiver is to be compared with the branch's accounts" : "")

/** What the caller is told of it, where it is opened. */
const result = ({ result }: JsonObject): string =>
  isObject(result) && !isSealed(result) ? `; the caller is told ${JSON.stringify(result)}` : ""

const isSealed = Schema.is(Sealed)

const next = ({ nextAttemptAt }: JsonObject, none: string): string =>
  nextAttemptAt === null ? none : `the next one is due ${say(nextAttemptAt)}`

const answered = ({ attempt, host, status, tookMillis }: JsonObject): string =>
  `with attempt ${say(attempt)}: ${say(host)} answered ${say(status)} in ${say(tookMillis)} ms`

const times = (count: unknown): string => count === 1 ? "once" : `${say(count)} times`
