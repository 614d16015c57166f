import { Effect } from "effect"
import { type RememberedFailure, runIdempotent } from "../../../../application/events/run-idempotent.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { Vault } from "../../../../ports/vault.ts"
import type { Caller } from "../../../../application/provisioning/callers.ts"
import { contentDigest } from "../bodies/content-digest.ts"
import type { RequestDigests } from "../bodies/request-digests.ts"
import { routeOf } from "./body.ts"
import type { Exchange } from "../server/endpoint.ts"
import { countKeyed, type KeyedOutcome } from "../server/http-metrics.ts"
import { invalid } from "../../input/decode.ts"
import { isRemembered, messageOf } from "../../api/failures.ts"
import { type Failure, toApiError } from "./application-failures.ts"

/** A request that may carry an `Idempotency-Key`. */
interface KeyedRequest {
  readonly exchange: Exchange
  readonly caller: Caller
  /** The digests of its body; undefined without one. */
  readonly digests: RequestDigests | undefined
}

/** An operation whose effects happen once for each id. */
interface IdempotentOperation<A, E, R, E2, R2> {
  readonly run: (id: string) => Effect.Effect<A, E, R>
  /** Reads the result from the log; undefined when the operation has not finished. */
  readonly recall: (id: string) => Effect.Effect<A | undefined, E2, R2>
  /** What happens to the key after a failure; by default, what the error code of the failure says. */
  readonly remember?: (failure: E) => RememberedFailure
}

/**
 * Runs an operation once for each `Idempotency-Key` of a branch (docs/spec/http.md, "Idempotency-Key"). The same request
 * gets the same answer again, byte for byte. Retryable failures are not remembered.
 */
export const idempotently = <A, E extends Failure, R, E2 extends Failure, R2>(
  request: KeyedRequest,
  operation: IdempotentOperation<A, E, R, E2, R2>
) => {
  const key = request.exchange.headers["idempotency-key"]
  return key === undefined
    ? Effect.flatMap(Identifiers, ({ newId }) => operation.run(newId()))
    : idempotentlyAs(key, request, operation)
}

/** As `idempotently`, for a key that does not come from the header. */
export const idempotentlyAs = Effect.fnUntraced(function* <A, E extends Failure, R, E2 extends Failure, R2>(
  key: string,
  { caller: { actor, branchId }, digests, exchange }: KeyedRequest,
  { recall, remember = rememberByCode, run }: IdempotentOperation<A, E, R, E2, R2>
) {
  if (!PRINTABLE.test(key)) {
    return yield* invalid({ path: "Idempotency-Key", message: "Expected 1 to 255 printable ASCII characters" })
  }
  const vault = yield* Vault
  const { digest = contentDigest(routeOf(exchange), {}), formerDigest } = digests ?? {}
  const fingerprint = vault.digest("request", digest)
  const formerFingerprint = formerDigest === undefined ? undefined : vault.digest("request", formerDigest)
  const { clientRequestId, requestId: correlationId } = exchange
  const request = { actor, branchId, key, fingerprint, formerFingerprint, correlationId, clientRequestId }
  const { isReplayed, value } = yield* runIdempotent(request, { run, recall, remember }).pipe(
    Effect.tapErrorTag("RefusedBefore", () => Effect.sync(() => markReplayed(exchange))),
    Effect.tapError(({ _tag }) => countKeyed(refusalOutcomes[_tag] ?? "done"))
  )
  if (isReplayed) markReplayed(exchange)
  yield* countKeyed(isReplayed ? "replayed" : "done")
  return value
})

/** The outcomes of requests that did not run. */
const refusalOutcomes: Readonly<Partial<Record<string, KeyedOutcome>>> = {
  RefusedBefore: "replayed",
  RequestInProgress: "in_progress",
  KeyReused: "reused"
}

const PRINTABLE = /^[\x20-\x7e]{1,255}$/u

const markReplayed = ({ answerHeaders }: Exchange) => {
  answerHeaders["idempotent-replayed"] = "true"
}

/** After these failures a part of a batch may be in the log. A retry must continue under the same ids. */
const unknownOutcomes: ReadonlySet<Failure["_tag"]> = new Set([
  "EventStoreError",
  "WrongExpectedRevision",
  "QuotaError"
])

export const rememberByCode = (failure: Failure): RememberedFailure => {
  if (unknownOutcomes.has(failure._tag)) return "unknown"
  const error = toApiError(failure)
  return isRemembered(error.code) ? { code: error.code, message: messageOf(error), detail: error.detail } : "release"
}
