import { Effect } from "effect"
import { Egress, type EgressReason } from "../../../../ports/egress.ts"
import { apiError } from "../../api/failures.ts"

/** Concurrent lookups of names for one request: half of what a branch may have in flight. */
const MAX_LOOKUPS = 8

/** The time limit of all lookups together. Each attempt to deliver checks its URL again. */
const CHECK_TIMEOUT = "5 seconds"

const REFUSED: ReadonlyArray<EgressReason> = ["invalid-url", "protocol", "not-public"]

/** The part of a URL that is checked: scheme, user name and password, host and port. */
const checkedPart = (text: string): string => {
  const url = URL.parse(text)
  return url === null ? text : url.href.slice(0, url.href.length - (url.pathname + url.search + url.hash).length)
}

/**
 * Whether callbacks may use each URL: it must be a public https URL without a user name or password (docs/spec/http.md,
 * "Async"). A URL whose name does not resolve now is accepted.
 */
export const areCallable = Effect.fnUntraced(function* (urls: ReadonlyArray<string>, branchId: string) {
  const egress = yield* Egress
  const refused = new Set<string>()
  const check = (part: string) =>
    Effect.catch(Effect.asVoid(egress.check(part, ["https"], branchId)), ({ reason }) =>
      Effect.sync(() => {
        if (REFUSED.includes(reason)) refused.add(part)
      }))
  const parts = urls.map(checkedPart)
  yield* Effect.forEach(new Set(parts), check, { concurrency: MAX_LOOKUPS, discard: true }).pipe(
    Effect.timeoutOption(CHECK_TIMEOUT)
  )
  return parts.map((part) => !refused.has(part))
})

/** The error for a URL that callbacks may not use. */
export const notCallable = () => apiError("INVALID_CALLBACK_URL")

/** Fails when there is a URL that callbacks may not use. */
export const checkCallbackUrl = Effect.fnUntraced(function* (url: string | null | undefined, branchId: string) {
  if (url === null || url === undefined) return
  const [isCallable] = yield* areCallable([url], branchId)
  if (isCallable !== true) return yield* notCallable()
})
