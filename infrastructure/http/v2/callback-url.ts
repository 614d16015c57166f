import { Effect } from "effect"
import { Egress, type EgressReason } from "../../../ports/egress.ts"
import { apiError } from "../api/failures.ts"

/** Names looked up at a time: the runtime has few threads for it, and each may be held up by a slow name server. */
const AT_A_TIME = 3

/** For all of them together. What is not known by then is judged at every attempt, like all the others. */
const PATIENCE = "5 seconds"

const REFUSED: ReadonlyArray<EgressReason> = ["invalid-url", "protocol", "not-public"]

/** All of a URL that is judged: its scheme, a user or password, its host and port. */
const judgedPart = (text: string): string => {
  const url = URL.parse(text)
  return url === null ? text : url.href.slice(0, url.href.length - (url.pathname + url.search + url.hash).length)
}

/**
 * Whether a URL may be called back, for each in its place: a public https URL without a user or password
 * (docs/spec/http.md, "Async"). One whose name does not resolve at the moment may.
 */
export const areCallable = Effect.fnUntraced(function* (urls: ReadonlyArray<string>) {
  const egress = yield* Egress
  const refused = new Set<string>()
  const check = (part: string) =>
    Effect.catch(Effect.asVoid(egress.check(part, ["https"])), ({ reason }) =>
      Effect.sync(() => {
        if (REFUSED.includes(reason)) refused.add(part)
      }))
  const parts = urls.map(judgedPart)
  yield* Effect.forEach(new Set(parts), check, { concurrency: AT_A_TIME, discard: true }).pipe(
    Effect.timeoutOption(PATIENCE)
  )
  return parts.map((part) => !refused.has(part))
})

/** A URL that may not be called back. */
export const notCallable = () => apiError("INVALID_CALLBACK_URL")

/** Fails where a URL, if there is one, may not be called back. */
export const checkCallbackUrl = Effect.fnUntraced(function* (url: string | null | undefined) {
  if (url === null || url === undefined) return
  const [isCallable] = yield* areCallable([url])
  if (isCallable !== true) return yield* notCallable()
})
