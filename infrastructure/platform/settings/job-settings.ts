import { Duration, Schema } from "effect"
import { Delay, Delays, List, setting } from "./setting.ts"

const MAX_HEADERS = 5

/** A name of a header that nothing but its receiver reads. */
const OWN_HEADER = /^x-[a-z\d-]{1,62}$/iu

/** Names that callbacks, proxies and web frameworks use. */
const RESERVED = /^x-(?:service-signature|sandbox|request-id|real-ip|forwarded|original|http-method)(?:-|$)/iu

const HeaderNames = List.check(
  Schema.makeFilter((names: ReadonlyArray<string>) => {
    const wrong = names.find((name) => !OWN_HEADER.test(name))
    if (wrong !== undefined) {
      return `"${wrong}" is not a header name of letters, digits and hyphens that begins with X-, such as X-EasySlip-Signature`
    }
    const reserved = names.find((name) => RESERVED.test(name))
    if (reserved !== undefined) return `"${reserved}" has another meaning: remove it`
    return names.length <= MAX_HEADERS || `Expected at most ${MAX_HEADERS} header names`
  })
)

/** Results can be read for seven days (docs/spec/http.md, "GET job data"), and their callbacks be sent again. */
const Retention = Delay.check(
  Schema.makeFilter((retention: Duration.Duration) =>
    Duration.isGreaterThanOrEqualTo(retention, Duration.days(8)) || "Expected at least 8 days"
  )
)

/** Settings of jobs and callbacks. */
export const jobSettings = {
  jobRetention: setting(
    "JOB_RETENTION",
    "90 days",
    "How long lists show jobs and callbacks after their end, statistics their hours, and delivery attempts after they were sent. At least 8 days. The log and its trails keep them. After a longer value, `sliptrail projections rebuild` of `jobs` and `callbacks` brings older ones back.",
    Retention
  ),
  verifyRetrySchedule: setting(
    "VERIFY_RETRY_SCHEDULE",
    "30 seconds, 60 seconds, 120 seconds, 240 seconds",
    "Delays before a job tries again after a slip could not be verified yet. One delay for each retry.",
    Delays
  ),
  callbackRetrySchedule: setting(
    "CALLBACK_RETRY_SCHEDULE",
    "5 seconds, 30 seconds, 2 minutes, 10 minutes, 1 hour",
    "Delays before a failed callback is sent again, each varied by up to 20 %. After the last retry the callback is abandoned.",
    Delays
  ),
  callbackTimeout: setting(
    "CALLBACK_TIMEOUT",
    "10 seconds",
    "Time limit of one callback, from the DNS lookup to the last byte of the answer.",
    Delay
  ),
  callbackSignatureHeaders: setting(
    "CALLBACK_SIGNATURE_HEADERS",
    "",
    "Further headers in which callbacks carry the value of `X-Service-Signature`, for receivers that were written for another verifier: `X-EasySlip-Signature`. At most five names that begin with `X-`.",
    HeaderNames
  )
} as const
