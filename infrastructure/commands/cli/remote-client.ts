import { Effect, Schema } from "effect"
import { adminOperations } from "../../web/api/operations/admin.ts"
import { describeIssue } from "../../platform/settings/setting.ts"
import { describeNetworkError, trustAuthorities } from "./connection.ts"
import { cannotRun, type CommandFailed, unavailable } from "./exit.ts"
import { note } from "./output.ts"
import {
  decodeAnswer,
  failRefused,
  failUnexpected,
  isChange,
  mediaTypesOf,
  type Received,
  routeOf,
  sendRequest,
  textOf
} from "./remote-request.ts"
import type { PageRange } from "../../web/operators/handler.ts"
import type { DataOf, OperationName } from "../../web/operators/operations.ts"
import { type Call, NOT_VISIBLE, type OpenFile, type ReadPart, type Request, type RequestParts } from "./request.ts"
import type { Target } from "./target.ts"

/** Limit of an answer, until its last byte. */
const TIMEOUT_MILLIS = 30_000

const timeoutOf = ({ isLong = false }: RequestParts): AbortSignal | undefined =>
  isLong ? undefined : AbortSignal.timeout(TIMEOUT_MILLIS)

const send = (target: Target, request: RequestParts) =>
  Effect.callback<Received, CommandFailed>((resume, interrupted) => {
    const { url } = target
    const timeout = timeoutOf(request)
    const signal = timeout === undefined ? interrupted : AbortSignal.any([interrupted, timeout])
    const exchange = async (): Promise<Received> => {
      const response = await sendRequest(target, request, signal)
      return { status: response.status, headers: response.headers, text: await textOf(response) }
    }
    exchange().then(
      (received) => resume(Effect.succeed(received)),
      (cause: unknown) =>
        resume(Effect.fail(unavailable(
          timeout?.aborted === true
            ? `${new URL(url).origin} did not answer within ${TIMEOUT_MILLIS / 1_000} seconds`
            : describeNetworkError(cause, url, isChange(request))
        )))
    )
  })

const answerOf = (received: Received, { url }: Target) =>
  Effect.mapError(decodeAnswer(received.text), () => failUnexpected(received, url))

const dataOf = Effect.fnUntraced(function* (target: Target, request: RequestParts) {
  const received = yield* send(target, request)
  const answer = yield* answerOf(received, target)
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

/** Whether an answer is the file, and not an error or the page of a proxy. */
const isFile = ({ headers, status }: Response, request: RequestParts): boolean => {
  const [mediaType = ""] = (headers.get("content-type") ?? "").split(";", 1)
  return status === 200 && mediaTypesOf(request).includes(mediaType.trim().toLowerCase())
}

/** There is no time limit: the service may read a long log before the next part. */
const openFile = Effect.fnUntraced(function* (target: Target, request: RequestParts) {
  const { url } = target
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({ try: run, catch: (cause) => unavailable(describeNetworkError(cause, url, false)) })

  const response = yield* attempt(() => sendRequest(target, request, signal))
  if (!isFile(response, request)) {
    const { headers, status } = response
    const received = { headers, status, text: yield* attempt(() => textOf(response)) }
    const answer = yield* answerOf(received, target)
    return yield* answer.success ? failUnexpected(received, url) : failRefused(received, answer.error, url, request)
  }
  const reader = response.body?.getReader()
  const readPart: ReadPart = reader === undefined
    ? Effect.undefined
    : Effect.map(attempt(() => reader.read()), ({ value }) => value)
  return readPart
})

/** Sends requests to the admin API of a service, and decodes the answers as the operations declare. */
export const connect = (target: Target) =>
  Effect.as(trustAuthorities, {
    // The declaration gives the type.
    call: (<Name extends OperationName>(request: Request<Name>, page?: PageRange) =>
      Effect.map(
        dataOf(target, { ...request, query: { ...request.query, ...page } }),
        (data) => data as DataOf<Name>
      )) satisfies Call,
    open: ((request) => openFile(target, request)) satisfies OpenFile
  })
