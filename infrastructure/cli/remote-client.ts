import { Effect, Redacted, Schema } from "effect"
import { adminOperations } from "../http/api/operations/admin.ts"
import type { Operation } from "../http/api/operation.ts"
import { describeIssue, oneLine } from "../settings/setting.ts"
import { describeNetworkError, trustAuthorities } from "./connection.ts"
import { answerIsNo, cannotRun, type CommandFailed, unavailable } from "./exit.ts"
import { wrongFlags } from "./flags.ts"
import { note } from "./output.ts"
import { type Call, type DataOf, NOT_VISIBLE, type OperationName, type Request, type RequestParts } from "./request.ts"
import type { Target } from "./target.ts"

/** Limit of an answer, until its last byte. */
const TIMEOUT_MILLIS = 30_000

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

const decodeAnswer = Schema.decodeUnknownEffect(Answer)

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

const timeoutOf = ({ isLong = false }: RequestParts): AbortSignal | undefined =>
  isLong ? undefined : AbortSignal.timeout(TIMEOUT_MILLIS)

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const send = ({ token, url }: Target, request: RequestParts) =>
  Effect.callback<Received, CommandFailed>((resume, interrupted) => {
    const route: Route = adminOperations[request.name]
    const timeout = timeoutOf(request)
    const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) }
    const type = request.body === undefined ? {} : { "content-type": "application/json" }
    const exchange = async (): Promise<Received> => {
      const response = await fetch(url + pathOf(route, request), {
        method: route.method,
        headers: { accept: "application/json", authorization: `Bearer ${Redacted.value(token)}`, ...type },
        // The token must not go to another server.
        redirect: "manual",
        signal: timeout === undefined ? interrupted : AbortSignal.any([interrupted, timeout]),
        ...body
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    exchange().then(
      (received) => resume(Effect.succeed(received)),
      (cause: unknown) =>
        resume(Effect.fail(unavailable(
          timeout?.aborted === true
            ? `${new URL(url).origin} did not answer within ${TIMEOUT_MILLIS / 1_000} seconds`
            : describeNetworkError(cause, url, route.method !== "GET")
        )))
    )
  })

const excerpt = (text: string): string => text.length > 200 ? `${text.slice(0, 200)}…` : text

const FORBIDDEN = 403
/** The request was understood, and the answer is no. Other refusals mean that the command cannot run. */
const NO_STATUSES: ReadonlyArray<number> = [FORBIDDEN, 404, 409, 422]

/** The message of an operation that this service does not have. Other answers of the admin API say what does not exist. */
const UNKNOWN_ROUTE = "Resource not found"

type Refusal = Extract<typeof Answer.Type, { readonly success: false }>["error"]

const failRefused = (received: Received, error: Refusal, url: string, request: RequestParts) => {
  const { headers, status } = received
  const id = headers.get("x-request-id")
  const suffix = id === null ? "" : ` (request ${id})`
  const wait = headers.get("retry-after")
  if (status === 400 && error.issues !== undefined) {
    return cannotRun(`${wrongFlags({ issues: error.issues }).message}${suffix}`)
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

const failUnexpected = ({ headers, status, text }: Received, url: string) => {
  const location = headers.get("location")
  return (status >= 500 ? unavailable : cannotRun)(
    location === null
      ? `Expected an answer of SlipTrail from ${url}, got ${status}: ${excerpt(oneLine(text)) || "an empty body"}`
      : `${url} redirects to ${location}: give the URL of the service with --url (SLIPTRAIL_URL)`
  )
}

const dataOf = Effect.fnUntraced(function* (target: Target, request: RequestParts) {
  const received = yield* send(target, request)
  const answer = yield* Effect.mapError(decodeAnswer(received.text), () => failUnexpected(received, target.url))
  if (!answer.success) return yield* failRefused(received, answer.error, target.url, request)
  if (answer.isVisible === false) yield* note(NOT_VISIBLE)
  const data: Schema.Codec<unknown, unknown> = adminOperations[request.name].success.data
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(data)(answer.data),
    ({ issue }) =>
      cannotRun(
        `the answer of ${target.url} to ${routeOf(request)} cannot be read (${
          describeIssue(issue)
        }): use the command line `
          + "of the same version as the service"
      )
  )
})

/** Sends requests to the admin API of a service, and decodes the answers as the operations declare. */
export const makeCall = (target: Target) =>
  Effect.as(
    trustAuthorities,
    // The declaration gives the type.
    (<Name extends OperationName>(request: Request<Name>) =>
      Effect.map(dataOf(target, request), (data) => data as DataOf<Name>)) satisfies Call
  )
