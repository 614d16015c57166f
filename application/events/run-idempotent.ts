import { Clock, Data, Effect } from "effect"
import { KeyReused, type RequestCommand, requestInForce, type RequestState } from "../../domain/idempotency-key.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { requests } from "../../domain/events/aggregates.ts"
import { type CommandContext, handleCommand, load } from "./handle-command.ts"
import { Claims } from "../../ports/claims.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"

/** A request that its caller gave a key. */
export interface KeyedRequest {
  readonly branchId: string
  readonly key: string
  /** Digest of what is asked for: the same for the same route and body. */
  readonly fingerprint: string
  readonly correlationId: string
}

/** The request with this key is being done at the moment, by this or another process. */
export class RequestInProgress extends Data.TaggedError("RequestInProgress")<{}> {}

/** The request was refused for good when it came first. */
export class RefusedBefore extends Data.TaggedError("RefusedBefore")<{
  readonly code: string
  readonly message: string
}> {}

/** What is kept of a failure: its code and message, to be told again, or nothing, and then the key is free again. */
export type RememberedFailure = { readonly code: string; readonly message: string } | "nothing" | "unknown"

/** What a request does, under an id under which it comes out once. */
export interface IdempotentOperation<A, E, R, E2, R2> {
  readonly run: (subjectId: string) => Effect.Effect<A, E, R>
  /** What it has led to, as the log tells; undefined when it has not, or not to the end. */
  readonly recall: (subjectId: string) => Effect.Effect<A | undefined, E2, R2>
  /** `unknown`: it may have come out after all, and is to be gone on with under the same id. */
  readonly keep: (failure: E) => RememberedFailure
}

/** What a request led to; `isReplayed` when that was told before. */
export interface Outcome<A> {
  readonly value: A
  readonly isReplayed: boolean
}

/**
 * No request takes longer. One whose process died is taken up again after this time at the latest: what it had put into
 * the log by then is told at once.
 */
const CLAIM_MILLIS = 30_000

const replayed = <A>(value: A): Outcome<A> => ({ value, isReplayed: true })

/**
 * Does what a request asks for once for each key of a branch (docs/spec/http.md, "Idempotency-Key"). Which request a
 * key stands for, and what came of it, is read from the log alone: it survives the loss of every read model, and a
 * crash between the deed and its answer. A claim tells those who come meanwhile that it is under way; if that is lost,
 * the log still sees to it that the deed is done once.
 */
export const runIdempotent = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  { branchId, correlationId, fingerprint, key }: KeyedRequest,
  { keep, recall, run }: IdempotentOperation<A, E, R, E2, R2>
) {
  const identifiers = yield* Identifiers
  const { claim, giveBack } = yield* Claims
  const digest = (yield* Vault).digest("idempotency-key", `${branchId}:${key}`)
  const stream = streamOf.request(digest)
  const at = yield* Clock.currentTimeMillis

  const command = (command: RequestCommand) => {
    const context: CommandContext = {
      commandId: identifiers.random(),
      correlationId,
      actor: { kind: "branch", id: branchId },
      at
    }
    return handleCommand(requests, stream, command, context)
  }
  const about = { at: isoTime(at) }

  /** What was told before, if it was. */
  const told = Effect.fnUntraced(function* (state: RequestState) {
    const begun = requestInForce(state, about.at)
    if (begun === undefined) return undefined
    if (begun.fingerprint !== fingerprint) return yield* new KeyReused()
    const { refused } = state
    if (refused !== null) return yield* new RefusedBefore({ code: refused.code, message: refused.message })
    return yield* recall(begun.subjectId)
  })

  /** Writes down how it failed; if the log is away just then, the same request goes on where this one ended. */
  const end = (subjectId: string, kept: RememberedFailure) => {
    if (kept === "unknown") return Effect.void
    const ended: RequestCommand = kept === "nothing"
      ? { _tag: "ReleaseRequest", subjectId, ...about }
      : { _tag: "RefuseRequest", subjectId, ...about, ...kept }
    return Effect.catch(
      command(ended),
      (error) => Effect.logWarning("how a request with an Idempotency-Key ended could not be written down", error)
    )
  }

  const begin = Effect.gen(function* () {
    const fresh = identifiers.random()
    const { after, before, events } = yield* command({
      _tag: "BeginRequest",
      branchId,
      fingerprint,
      subjectId: fresh,
      ...about
    })
    // It may have ended between the look at it and the claim.
    const known = events.length === 0 ? yield* told(before) : undefined
    if (known !== undefined) return replayed(known)
    const subjectId = after.begun?.subjectId ?? fresh
    const value = yield* Effect.tapError(
      run(subjectId),
      (failure) => Effect.uninterruptible(end(subjectId, keep(failure)))
    )
    return { value, isReplayed: false } satisfies Outcome<A>
  })

  const known = yield* Effect.flatMap(load(requests, stream), ({ state }) => told(state))
  if (known !== undefined) return replayed(known)
  const name = `request:${digest}`
  return yield* Effect.acquireUseRelease(
    claim(name, CLAIM_MILLIS),
    (isMine) => Effect.andThen(isMine ? Effect.void : Effect.fail(new RequestInProgress()), begin),
    (isMine) => isMine ? giveBack(name) : Effect.void
  )
})
