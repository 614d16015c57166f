import { Redacted, Schema } from "effect"
import { adminOperations } from "../../web/api/operations/admin.ts"
import type { Operation } from "../../web/api/operation.ts"
import { oneLine } from "../../platform/settings/setting.ts"
import { AnswerTooLong } from "./connection.ts"
import { answerIsNo, cannotRun, unavailable } from "./exit.ts"
import { wrongFlags } from "./flags.ts"
import type { RequestParts } from "./request.ts"
import type { Target } from "./target.ts"

const Answer = Schema.fromJsonString(Schema.Union([
  Schema.Struct({
    success: Schema.Literal(true),
    data: Schema.Unknown,
    isVisible: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({
    success: Schema.Literal(false),
    error: Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      issues: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })))
    })
  })
]))

export const decodeAnswer = Schema.decodeUnknownEffect(Answer)

/** The part of a declaration that a request is made from. */
type Route = Pick<Operation, "method" | "path">

const pathOf = ({ path }: Route, { params = {}, query = {} }: RequestParts): string => {
  const filled = path.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  const given = Object.entries(query).filter((entry: readonly [string, unknown]) => entry[1] !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** The method and the path of a request, such as `POST /admin/v1/services/…/ban`. */
export const routeOf = (request: RequestParts): string => {
  const route: Route = adminOperations[request.name]
  return `${route.method} ${pathOf(route, request)}`
}

/** The media types of an operation's file; empty for one that answers JSON in an envelope. */
export const mediaTypesOf = ({ name }: RequestParts): ReadonlyArray<string> => {
  const { success }: Pick<Operation, "success"> = adminOperations[name]
  return Object.keys(success.files ?? {})
}

/** Sends a request. The answer is there when its headers are; `signal` ends it at any time. */
export const sendRequest = ({ token, url }: Target, request: RequestParts, signal: AbortSignal): Promise<Response> => {
  const route: Route = adminOperations[request.name]
  const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) }
  const type = request.body === undefined ? {} : { "content-type": "application/json" }
  return fetch(url + pathOf(route, request), {
    method: route.method,
    headers: {
      accept: mediaTypesOf(request).length > 0 ? "*/*" : "application/json",
      authorization: `Bearer ${Redacted.value(token)}`,
      ...type
    },
    // The token must not go to another server.
    redirect: "manual",
    signal,
    ...body
  })
}

/** Limit of an answer that is read as a whole. Another server than SlipTrail can send without an end. */
const MAX_BYTES = 64 * 1024 * 1024

/** The text of an answer. Rejects with `AnswerTooLong`. */
export const textOf = async ({ body }: Response): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    // Leaving the loop cancels the rest.
    if (size > MAX_BYTES) throw new AnswerTooLong(MAX_BYTES)
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

/** Whether a request can change something. */
export const isChange = ({ name }: RequestParts): boolean => adminOperations[name].method !== "GET"

/** A whole answer. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const excerpt = (text: string): string => text.length > 200 ? `${text.slice(0, 200)}…` : text

const FORBIDDEN = 403
/** The request was understood, and the answer is no. Other refusals mean that the command cannot run. */
const NO_STATUSES: ReadonlyArray<number> = [FORBIDDEN, 404, 409, 422]

/** The message of an operation that this service does not have. Other answers of the admin API say what does not exist. */
const UNKNOWN_ROUTE = "Resource not found"

type Refusal = Extract<typeof Answer.Type, { readonly success: false }>["error"]

export const failRefused = (received: Received, error: Refusal, url: string, request: RequestParts) => {
  const { headers, status } = received
  const id = headers.get("x-request-id")
  const suffix = id === null ? "" : ` (request ${id})`
  const wait = headers.get("retry-after")
  if (status === 400 && error.issues !== undefined) {
    return cannotRun(`${wrongFlags({ issues: error.issues }, request.args).message}${suffix}`)
  }
  if (status === 401) return cannotRun(`${error.message}: check SLIPTRAIL_TOKEN or --token-file${suffix}`)
  if (status === 404 && error.message === UNKNOWN_ROUTE) {
    return cannotRun(
      `${url} has no ${
        routeOf(request)
      }: it is not the listener of the admin API (ADMIN_PORT), its admin API is off, or the `
        + `service has another version${suffix}`
    )
  }
  const later = wait === null ? "" : `; try again in ${wait} seconds`
  const message = `${error.message}${later}${suffix}`
  if (NO_STATUSES.includes(status)) return answerIsNo(message)
  return status === 429 || status >= 500 ? unavailable(message) : cannotRun(message)
}

export const failUnexpected = ({ headers, status, text }: Received, url: string) => {
  const location = headers.get("location")
  return (status >= 500 ? unavailable : cannotRun)(
    location === null
      ? `Expected an answer of SlipTrail from ${url}, got ${status}: ${excerpt(oneLine(text)) || "an empty body"}`
      : `${url} redirects to ${location}: give the URL of the service with --url (SLIPTRAIL_URL)`
  )
}
