import { Context, Effect, Layer } from "effect"
import { CappedMap } from "../../domain/capped-map.ts"
import { streamsOfSlip } from "../../projections/models/duplicates.ts"
import { ReadModels } from "../../ports/read-models.ts"

/** The stream of a slip in a service, at a time in milliseconds since 1970. */
export interface SlipStream {
  readonly stream: string
  readonly digest: string
  readonly at: number
}

/**
 * Guesses that a stream of a slip has no events, so that a verification need not read it. The guess may be wrong. An
 * append at "no stream" then fails, and a verification that fails before it reads the stream.
 */
export interface GuessNewSlip {
  readonly isProbablyNew: (slip: SlipStream) => Effect.Effect<boolean>
  /** The stream has an event of this process. */
  readonly hasEvents: (slip: SlipStream) => void
}

/** Never guesses by default: to read a stream of an embedded log costs less than to guess. */
export const NewSlipGuess = Context.Reference<GuessNewSlip>(
  "sliptrail/application/NewSlipGuess",
  { defaultValue: () => ({ isProbablyNew: () => Effect.succeed(false), hasEvents: () => {} }) }
)

/** How often the model is tested, and how long it may lack an event. */
const TEST_MILLIS = 1_000

/** Streams that this process remembers: more than it appends to while the model lags by `TEST_MILLIS`. */
const REMEMBERED = 8_192

/**
 * Asks the read model `duplicates`. A slip that it lacks is asked of the bank again, which may cost money. So this
 * process remembers its own streams, and tests once a second that the model has one of them. It does not guess while the
 * model is behind or unavailable.
 */
export const makeNewSlipGuess = (models: ReadModels["Service"]): GuessNewSlip => {
  const own = new CappedMap<string, true>(REMEMBERED)
  let isTrusted = true
  let nextTestAt = -Infinity
  /** A stream of this process that the model must have when it is tested. */
  let canary: SlipStream | undefined

  const has = ({ digest, stream }: SlipStream) => {
    const { model, set } = streamsOfSlip(digest)
    return models.has(model, set, stream)
  }
  const distrust = Effect.sync(() => {
    isTrusted = false
    return false
  })

  /** Meanwhile the other requests read their streams: none waits for a model that does not answer. */
  const test = (slip: SlipStream) => {
    const expected = canary !== undefined && slip.at - canary.at >= TEST_MILLIS ? canary : undefined
    isTrusted = false
    nextTestAt = slip.at + TEST_MILLIS
    return Effect.map(has(expected ?? slip), (isThere) => {
      if (expected !== undefined && isThere) canary = undefined
      isTrusted = expected === undefined || isThere
    })
  }

  return {
    isProbablyNew: (slip) =>
      Effect.suspend(() => {
        if (own.has(slip.stream)) return Effect.succeed(false)
        const ask = Effect.suspend(() =>
          isTrusted ? Effect.map(has(slip), (isThere) => !isThere) : Effect.succeed(false)
        )
        const isDue = slip.at >= nextTestAt
        return Effect.catch(isDue ? Effect.andThen(test(slip), ask) : ask, () => distrust)
      }),
    hasEvents: (slip) => {
      own.set(slip.stream, true)
      canary ??= slip
    }
  }
}

export const layerNewSlipGuess: Layer.Layer<never, never, ReadModels> = Layer.effect(
  NewSlipGuess,
  Effect.map(ReadModels, makeNewSlipGuess)
)
