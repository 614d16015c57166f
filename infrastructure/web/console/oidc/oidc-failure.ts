import { Data } from "effect"
import { EgressError } from "../../../../ports/egress.ts"

/**
 * Why the provider's part of a sign-in failed.
 *
 * - `away`: no answer in time, or an answer with a status from 500 on
 * - `denied`: the person or the provider refused the sign-in (`access_denied`)
 * - `wrong-code`: the provider does not accept the code, for example because it was used
 * - `wrong-token`: the identity of the person is not proven
 * - `misconfigured`: the provider and the settings do not fit together
 */
export type OidcReason = "away" | "denied" | "wrong-code" | "wrong-token" | "misconfigured"

export class OidcFailed extends Data.TaggedError("OidcFailed")<{
  readonly reason: OidcReason
  /** For the operator. Contains no code, no token and no personal data. */
  readonly detail: string
}> {}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** The code of an error in an answer of OAuth, which the provider chose. Other text is not logged. */
const errorCode = (value: unknown): string =>
  typeof value === "string" && /^[a-z_]{1,64}$/u.test(value) ? value : "an unknown error"

/** An error and its causes, the outermost first. */
const causesOf = (error: unknown): ReadonlyArray<unknown> => {
  const causes: Array<unknown> = []
  for (let cause = error; cause !== undefined && causes.length < 8;) {
    causes.push(cause)
    cause = isFields(cause) ? cause["cause"] : undefined
  }
  return causes
}

/** The claim that the library names as the wrong one. */
const claimOf = (causes: ReadonlyArray<unknown>): string => {
  const claim = causes.map((cause) => isFields(cause) ? cause["claim"] ?? cause["attribute"] : undefined)
    .find((value) => typeof value === "string")
  return claim === undefined ? "" : ` (${claim})`
}

/** Errors whose messages are texts of the library. Those of other errors can quote a part of the answer. */
const LIBRARY_ERRORS: ReadonlySet<string> = new Set([
  "ClientError",
  "OperationProcessingError",
  "UnsupportedOperationError"
])

const textOf = (causes: ReadonlyArray<unknown>): string => {
  const messages = causes.flatMap((cause) =>
    cause instanceof Error && LIBRARY_ERRORS.has(cause.name) ? [cause.message] : []
  )
  return `${Array.from(new Set(messages)).join(": ") || "unknown failure"}${claimOf(causes)}`
}

const statusOf = (error: unknown): number =>
  isFields(error) && typeof error["status"] === "number" ? error["status"] : 0

/** An error that openid-client throws; `otherwise` is the reason of errors that have no reason of their own. */
export const oidcFailure = (error: unknown, otherwise: OidcReason): OidcFailed => {
  const causes = causesOf(error)
  const unreachable = causes.find((cause) => cause instanceof EgressError)
  if (unreachable !== undefined) {
    return new OidcFailed({ reason: "away", detail: `${unreachable.reason}: ${unreachable.detail}` })
  }
  const code = isFields(error) ? error["code"] : undefined
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR" && isFields(error)) {
    const detail = `the provider answered ${errorCode(error["error"])}`
    if (error["error"] === "access_denied") return new OidcFailed({ reason: "denied", detail })
    const isAway = error["error"] === "server_error" || error["error"] === "temporarily_unavailable"
    return new OidcFailed({ reason: isAway ? "away" : "misconfigured", detail })
  }
  const status = causes.map(statusOf).find((found) => found > 0) ?? 0
  if (status >= 500 || status === 429) {
    return new OidcFailed({ reason: "away", detail: `the provider answered with status ${status}` })
  }
  if (code === "OAUTH_RESPONSE_BODY_ERROR" && isFields(error)) {
    const detail = `the provider answered ${errorCode(error["error"])}`
    return new OidcFailed({ reason: error["error"] === "invalid_grant" ? "wrong-code" : "misconfigured", detail })
  }
  if (code === "OAUTH_WWW_AUTHENTICATE_CHALLENGE") {
    const detail = `the provider answered with status ${status}: the client's id or secret may be wrong`
    return new OidcFailed({ reason: "misconfigured", detail })
  }
  return new OidcFailed({ reason: otherwise, detail: textOf(causes) })
}
