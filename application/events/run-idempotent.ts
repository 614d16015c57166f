import { Clock, Data, Effect } from "effect"
import { type CommandContext, handleCommand, load, type RequestIds } from "./handle-command.ts"
import { requests, streamOf } from "../../domain/events/aggregates.ts"
import {
  isSameRequest,
  KeyReused,
  type RequestCommand,
  requestInForce,
  type RequestState
} from "../../domain/idempotency-key.ts"
import { isoTime } from "../../domain/time.ts"
import { Claims } from "../../ports/claims.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { UnchargedLimiter } from "../../ports/uncharged-limiter.ts"
import { Vault } from "../../ports/vault.ts"

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest extends RequestIds {
  readonly branchId: string
  readonly key: string
  /** Digest of the route and the body. */
  readonly fingerprint: string
  /** What an earlier version stored for the same request. Undefined where it is the same. */
  readonly formerFingerprint?: string | undefined
}

/** A request with this key is in progress, in this or another process. */
export class RequestInProgress extends Data.TaggedError("RequestInProgress")<{}> {}

/** The first request with this key was refused. The refusal is final, so later requests receive it too. */
export class RefusedBefore extends Data.TaggedError("RefusedBefore")<{
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
}> {}

/**
 * What happens to the key after a failure: the failure is remembered and replayed, or the key is released. After an
 * `unknown` outcome the operation may have committed; the next request retries it with the same id.
 */
export type RememberedFailure =
  | { readonly code: string; readonly message: string; readonly detail?: string | undefined }
  | "release"
  | "unknown"

/** An operation that commits once for each `subjectId`. */
export interface IdempotentOperation<A, E, R, E2, R2> {
  readonly run: (subjectId: string) => Effect.Effect<A, E, R>
  /** The result from the log; undefined when the operation has not committed, or only in part. */
  readonly recall: (subjectId: string) => Effect.Effect<A | undefined, E2, R2>
  readonly remember: (failure: E) => RememberedFailure
}

/** `isReplayed` is true when an earlier request with the same key had this result. */
export interface Outcome<A> {
  readonly value: A
  readonly isReplayed: boolean
}

/** Longer than any request. When a process dies, the caller can retry its request after this time at the latest. */
const CLAIM_MILLIS = 30_000

const replayed = <A>(value: A): Outcome<A> => ({ value, isReplayed: true })

/**
 * Runs an operation once for each key of a branch (docs/spec/http.md, "Idempotency-Key"). The key and the result are
 * read from the log alone. They survive the loss of every read model, and a crash between the commit and the answer.
 * A claim marks a request in progress. Without the claim the log still ensures that the operation commits once.
 *
 * The key of each failed request stays in the log, so a released key counts as a failure of the branch.
 */
export const runIdempotent = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  { actor, branchId, clientRequestId, correlationId, fingerprint, formerFingerprint, key }: KeyedRequest,
  { recall, remember, run }: IdempotentOperation<A, E, R, E2, R2>
) {
  const identifiers = yield* Identifiers
  const { claim, release } = yield* Claims
  const { check, take } = yield* UnchargedLimiter
  const digest = (yield* Vault).digest("idempotency-key", `${branchId}:${key}`)
  const stream = streamOf.request(digest)
  const at = isoTime(yield* Clock.currentTimeMillis)

  const command = (command: RequestCommand) => {
    const context: CommandContext = {
      commandId: identifiers.newId(),
      correlationId,
      clientRequestId,
      actor,
      at: Date.parse(command.at)
    }
    return handleCommand(requests, stream, command, context)
  }

  /** The result of an earlier request; undefined when there is none. */
  const earlierResult = Effect.fnUntraced(function* (state: RequestState) {
    const begun = requestInForce(state, at)
    if (begun === undefined) return undefined
    if (!isSameRequest(begun, { fingerprint, formerFingerprint })) return yield* new KeyReused()
    const { refused } = state
    if (refused !== null) {
      const { code, detail, message } = refused
      return yield* new RefusedBefore({ code, message, detail })
    }
    return yield* recall(begun.subjectId)
  })

  /** Records the failure. If the store is unavailable, the next request with the key continues under the same id. */
  const end = Effect.fnUntraced(
    function* (subjectId: string, remembered: RememberedFailure) {
      if (remembered === "unknown") return
      const ended = { subjectId, at: isoTime(yield* Clock.currentTimeMillis) }
      yield* Effect.ignore(take("failure", branchId))
      yield* command(
        remembered === "release"
          ? { _tag: "ReleaseRequest", ...ended }
          : { _tag: "RefuseRequest", ...ended, ...remembered }
      )
    },
    Effect.catch((error) =>
      Effect.logWarning("The outcome of a request with an Idempotency-Key could not be recorded", error)
    )
  )

  const begin = Effect.gen(function* () {
    const newSubjectId = identifiers.newId()
    const { after, before, events } = yield* command({
      _tag: "BeginRequest",
      branchId,
      fingerprint,
      formerFingerprint,
      subjectId: newSubjectId,
      at
    })
    // Another process may have finished the request before this one won the claim.
    const earlier = events.length === 0 ? yield* earlierResult(before) : undefined
    if (earlier !== undefined) return replayed(earlier)
    const subjectId = after.begun?.subjectId ?? newSubjectId
    const value = yield* Effect.tapError(
      run(subjectId),
      (failure) => Effect.uninterruptible(end(subjectId, remember(failure)))
    )
    return { value, isReplayed: false } satisfies Outcome<A>
  })

  const earlier = yield* Effect.flatMap(load(requests, stream), ({ state }) => earlierResult(state))
  if (earlier !== undefined) return replayed(earlier)
  yield* check("failure", branchId)
  const name = `request:${digest}`
  return yield* Effect.acquireUseRelease(
    // A request does not wait for the engine of claims, because the log alone decides.
    Effect.orElseSucceed(claim(name, CLAIM_MILLIS), () => true),
    (hasClaim) => Effect.andThen(hasClaim ? Effect.void : Effect.fail(new RequestInProgress()), begin),
    (hasClaim) => hasClaim ? release(name) : Effect.void
  )
})
