import { Effect } from "effect"
import { describeNetworkError, trustAuthorities } from "./connection.ts"
import { unavailable } from "./exit.ts"
import {
  decodeAnswer,
  failRefused,
  failUnexpected,
  mediaTypesOf,
  type Received,
  sendRequest,
  textOf
} from "./remote-request.ts"
import type { OpenFile, ReadPart, RequestParts } from "./request.ts"
import type { Target } from "./target.ts"

/** Whether an answer is the file, and not an error or the page of a proxy. */
const isFile = ({ headers, status }: Response, request: RequestParts): boolean => {
  const [mediaType = ""] = (headers.get("content-type") ?? "").split(";", 1)
  return status === 200 && mediaTypesOf(request).includes(mediaType.trim().toLowerCase())
}

const failInstead = Effect.fnUntraced(function* (received: Received, { url }: Target, request: RequestParts) {
  const answer = yield* Effect.mapError(decodeAnswer(received.text), () => failUnexpected(received, url))
  return yield* answer.success ? failUnexpected(received, url) : failRefused(received, answer.error, url, request)
})

/** There is no time limit: the service may read a long log before the next part. */
const openFile = Effect.fnUntraced(function* (target: Target, request: RequestParts) {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({ try: run, catch: (cause) => unavailable(describeNetworkError(cause, target.url, false)) })

  const response = yield* attempt(() => sendRequest(target, request, signal))
  if (!isFile(response, request)) {
    const { headers, status } = response
    return yield* failInstead({ headers, status, text: yield* attempt(() => textOf(response)) }, target, request)
  }
  const reader = response.body?.getReader()
  const readPart: ReadPart = reader === undefined
    ? Effect.undefined
    : Effect.map(attempt(() => reader.read()), ({ value }) => value)
  return readPart
})

/** Asks the admin API of a service for files. */
export const makeOpenFile = (target: Target) =>
  Effect.as(trustAuthorities, ((request) => openFile(target, request)) satisfies OpenFile)
