import { Clock, Effect } from "effect"
import { Egress, type EgressError, type EgressRequest } from "../../ports/egress.ts"
import { signatures } from "../../sdk/webhook/signature.ts"
import { meaningOf } from "./delivery-process.ts"
import type { Keys } from "./webhook-keys.ts"

/** What is sent where. */
export interface OutgoingCallback {
  readonly jobId: string
  readonly url: string
  readonly body: Uint8Array
  readonly keys: Keys
}

/** What came of one exchange. */
export interface Exchanged {
  readonly meaning: "Delivered" | "Rejected" | "Failed"
  /** Null when there was no answer. */
  readonly status: number | null
  /** For a person, of what failed: without the URL's query. */
  readonly reason: string
  readonly tookMillis: number
}

/** Signs a callback, sends it and hears the answer out. Never fails: trouble is an outcome. */
export const exchangeCallback = Effect.fnUntraced(function* (
  { body, jobId, keys, url }: OutgoingCallback,
  { timeoutMillis, userAgent }: { readonly timeoutMillis: number; readonly userAgent: string }
) {
  const begun = yield* Clock.currentTimeMillis
  const timestamp = String(Math.floor(begun / 1_000))
  const { service, standard } = yield* Effect.promise(() => signatures({ id: jobId, timestamp, body }, keys))
  const request: EgressRequest = {
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      "x-service-signature": service,
      "webhook-id": jobId,
      "webhook-timestamp": timestamp,
      "webhook-signature": standard
    },
    body,
    schemes: ["https"],
    maxRedirects: 0,
    maxBytes: 65_536,
    overflow: "truncate",
    timeoutMillis
  }
  const found = yield* (yield* Egress).request(request).pipe(
    Effect.map(({ status }) => ({ meaning: meaningOf(status), status, reason: whyNot(status) })),
    Effect.catchTag("EgressError", (error) => Effect.succeed(unanswered(error)))
  )
  const exchanged: Exchanged = { ...found, tookMillis: (yield* Clock.currentTimeMillis) - begun }
  return exchanged
})

const whyNot = (status: number): string =>
  status >= 300 && status <= 399
    ? `the receiver answered ${status}: redirects are not followed`
    : `the receiver answered ${status}`

const unanswered = ({ detail, reason }: EgressError) => ({
  meaning: "Failed" as const,
  status: null,
  reason: `${reason}: ${detail}`.slice(0, longestReason)
})

/** What others have written may be in it. */
const longestReason = 300
