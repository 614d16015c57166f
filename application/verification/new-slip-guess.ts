import { Context, Deferred, Effect, Exit, Layer, Queue } from "effect"
import { slips } from "../../domain/events/aggregates.ts"
import type { SlipState } from "../../domain/slip/slip.ts"
import type { EventStoreError } from "../../ports/event-store.ts"
import type { Loaded } from "../events/handle-command.ts"
import { failStreamChanged } from "../events/stream-changed.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { duplicatesModel, memberOfSlip } from "../../projections/models/duplicates.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { StreamMarks } from "../../ports/stream-marks.ts"

/** The stream of a slip in a service, at a time in milliseconds since 1970. */
export interface SlipStream {
  readonly stream: string
  readonly digest: string
  readonly at: number
}

/** `known`: the read models have events of the stream, so the log has them too. */
export type Guess = "probably-new" | "known" | "unknown"

/**
 * Guesses that the stream of a slip has no events, so that a verification need not read it. The guess may be wrong. An
 * append at "no stream" then fails, and a verification that fails before it reads the stream.
 */
export interface GuessNewSlip {
  readonly of: (slip: SlipStream) => Effect.Effect<Guess>
  /** The stream has an event of this process. */
  readonly hasEvents: (slip: SlipStream) => void
}

/** Never guesses by default: to read a stream of an embedded log costs less than to guess. */
export const NewSlipGuess = Context.Reference<GuessNewSlip>(
  "sliptrail/application/NewSlipGuess",
  { defaultValue: () => ({ of: () => Effect.succeed("unknown"), hasEvents: () => {} }) }
)

const noEvents: Loaded<SlipState> = { state: slips.decider.initialState, revision: -1 }

/**
 * Verifies a slip from its loaded state, or without reading its stream when it is probably new. Fails with `corrupt` when the
 * read models know a slip whose stream is empty: an operator of the event store deleted it, and it would count as new.
 */
export const verifyGuessing = <A, E extends { readonly _tag: string }, R, R2>(
  guess: GuessNewSlip,
  slip: SlipStream,
  load: Effect.Effect<Loaded<SlipState>, EventStoreError, R2>,
  verifyFrom: (loaded: Loaded<SlipState>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | EventStoreError, R | R2> => {
  // A failure counts only if the slip is new: a known slip needs no bank and may need no quota unit.
  const verifyNew = Effect.catchIf(
    verifyFrom(noEvents),
    ({ _tag }) => _tag !== "EventStoreError" && _tag !== "WrongExpectedRevision",
    (error) =>
      Effect.flatMap(
        load,
        (loaded) => loaded.revision === noEvents.revision ? Effect.fail(error) : verifyFrom(loaded)
      )
  )
  const loadKnown = Effect.tap(
    load,
    ({ revision }) =>
      revision === noEvents.revision
        ? failStreamChanged(
          "readStream",
          `${slip.stream} is empty in the event store, and the read models have its slip`
        )
        : Effect.void
  )
  return guess.of(slip).pipe(
    Effect.flatMap((guessed) =>
      guessed === "probably-new" ? verifyNew : Effect.flatMap(guessed === "known" ? loadKnown : load, verifyFrom)
    ),
    Effect.tap(() => Effect.sync(() => guess.hasEvents(slip)))
  )
}

/** How long the model may lack an event of this process, and how long after a failure it is asked again. */
const PATIENCE_MILLIS = 1_000

interface Question {
  readonly slip: SlipStream
  /** Absent when no request waits. */
  readonly answer?: Deferred.Deferred<Guess>
}

/**
 * Guesses by the read model `duplicates`, and by marks of the streams that a process has asked about in the last hour: the
 * model lags, and a repeat asks no bank (docs/spec/http.md, "Duplicates"). The slips that arrive during one question are
 * the next question. Once a second this process checks that the model has a stream of its own. While the model is behind
 * or unavailable, nothing is guessed and no request waits for it.
 */
export const layerNewSlipGuess: Layer.Layer<never, never, ReadModels | StreamMarks> = Layer.effect(
  NewSlipGuess,
  Effect.gen(function* () {
    const models = yield* ReadModels
    const marks = yield* StreamMarks
    const questions = yield* Queue.unbounded<Question>()
    let isTrusted = true
    let askAgainAt = 0
    /** A stream of this process, which the model must have soon. */
    let canary: SlipStream | undefined

    const answerNext = Effect.gen(function* () {
      const asked = yield* Queue.takeAll(questions)
      const now = Math.max(...asked.map(({ slip }) => slip.at))
      const due = canary !== undefined && now - canary.at >= PATIENCE_MILLIS ? canary : undefined
      const slips = due === undefined ? asked : [...asked, { slip: due }]
      const answers = yield* Effect.exit(Effect.all([
        models.has(
          modelName(duplicatesModel),
          slips.map(({ slip: { digest, stream } }) => memberOfSlip({ slipDigest: digest, stream }))
        ),
        marks.mark(asked.map(({ slip }) => slip.stream))
      ], { concurrency: 2 }))
      const [isKnown, isFirst] = Exit.isSuccess(answers) ? answers.value : [[], []]
      const isCurrent = due === undefined || isKnown.at(-1) === true
      if (due !== undefined && isCurrent) canary = undefined
      isTrusted = Exit.isSuccess(answers) && isCurrent
      askAgainAt = now + PATIENCE_MILLIS
      for (const [index, { answer }] of asked.entries()) {
        const isNew = isTrusted && isKnown[index] === false && isFirst[index] === true
        const guessed: Guess = isNew ? "probably-new" : isKnown[index] === true ? "known" : "unknown"
        if (answer !== undefined) Deferred.doneUnsafe(answer, Exit.succeed(guessed))
      }
    })
    yield* Effect.forkScoped(Effect.forever(answerNext))

    return {
      of: (slip) =>
        Effect.suspend(() => {
          if (!isTrusted) {
            if (slip.at >= askAgainAt) {
              askAgainAt = slip.at + PATIENCE_MILLIS
              Queue.offerUnsafe(questions, { slip })
            }
            return Effect.succeed<Guess>("unknown")
          }
          const answer = Deferred.makeUnsafe<Guess>()
          Queue.offerUnsafe(questions, { slip, answer })
          return Deferred.await(answer)
        }),
      hasEvents: (slip) => {
        canary ??= slip
      }
    }
  })
)
