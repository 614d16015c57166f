import { Deferred, Duration, Effect, Exit, Layer, Queue } from "effect"
import { NewStreams, type Novelty, type SlipStream } from "../../../../ports/new-streams.ts"
import { ReadModels, type ReadModelsError } from "../../../../ports/read-models.ts"
import { modelName } from "../../../../projections/engine/model-name.ts"
import { duplicatesModel, memberOfSlip } from "../../../../projections/models/duplicates.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf } from "./keys.ts"
import { listOf, loadScripts } from "./scripts.ts"

const scripts = loadScripts("marks", "mark")

const prefix = `${keyPrefixOf("marks")}:stream`
const lasts = Duration.toMillis("1 hour")

/** Marks streams for an hour, among all processes. True for each stream that had no mark. */
export type MarkStreams = (streams: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<boolean>, ReadModelsError>

export const markStreams = ({ run }: RedisConnection["Service"]): MarkStreams => (streams) =>
  Effect.map(
    run("mark", scripts.mark, [prefix], [prefix, lasts, ...streams]),
    (marked) => listOf(marked).map((isFirst) => isFirst === 1)
  )

/** How long the model may lack an event of this process, and how long after a failure it is asked again. */
const PATIENCE_MILLIS = 1_000

interface Question {
  readonly slip: SlipStream
  /** Absent when no request waits. */
  readonly answer?: Deferred.Deferred<Novelty>
}

/**
 * Guesses by the read model `duplicates`, and by marks of the streams that a process has asked about in the last hour: the
 * model lags, and a repeat asks no bank (docs/spec/http.md, "Duplicates"). The slips that arrive during one question are
 * the next question. Once a second this process checks that the model has a stream of its own. While the model is behind
 * or unavailable, nothing is guessed and no request waits for it.
 */
export const makeNewStreams = Effect.fnUntraced(function* (mark: MarkStreams) {
  const models = yield* ReadModels
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
      mark(asked.map(({ slip }) => slip.stream))
    ], { concurrency: 2 }))
    const [isKnown, isFirst] = Exit.isSuccess(answers) ? answers.value : [[], []]
    const isCurrent = due === undefined || isKnown.at(-1) === true
    if (due !== undefined && isCurrent) canary = undefined
    isTrusted = Exit.isSuccess(answers) && isCurrent
    askAgainAt = now + PATIENCE_MILLIS
    for (const [index, { answer }] of asked.entries()) {
      const isNew = isTrusted && isKnown[index] === false && isFirst[index] === true
      const novelty: Novelty = isNew ? "probably-new" : isKnown[index] === true ? "known" : "unknown"
      if (answer !== undefined) Deferred.doneUnsafe(answer, Exit.succeed(novelty))
    }
  })
  yield* Effect.forkScoped(Effect.forever(answerNext))

  return NewStreams.of({
    of: (slip) =>
      Effect.suspend(() => {
        if (!isTrusted) {
          if (slip.at >= askAgainAt) {
            askAgainAt = slip.at + PATIENCE_MILLIS
            Queue.offerUnsafe(questions, { slip })
          }
          return Effect.succeed<Novelty>("unknown")
        }
        const answer = Deferred.makeUnsafe<Novelty>()
        Queue.offerUnsafe(questions, { slip, answer })
        return Deferred.await(answer)
      }),
    hasEvents: (slip) => {
      canary ??= slip
    }
  })
})

/** For logs on a server, whose streams take longer to read than Redis. */
export const layerNewStreamsRedis: Layer.Layer<never, never, ReadModels | RedisConnection> = Layer.effect(
  NewStreams,
  Effect.flatMap(RedisConnection, (connection) => makeNewStreams(markStreams(connection)))
)
