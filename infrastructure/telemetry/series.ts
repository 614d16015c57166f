import { Effect, Metric, type Scope } from "effect"

type Labels = Readonly<Record<string, string>>

/**
 * Makes the function that counts words under a label, one series for each. The series are there from the start, at
 * zero: one that begins with its first event cannot be seen to rise by it.
 */
export const tallyOf = Effect.fnUntraced(function* <Word extends string>(
  counter: Metric.Counter<number>,
  label: string,
  words: ReadonlyArray<Word>,
  labels: Labels = {}
) {
  const context = yield* Effect.context<never>()
  const series = new Map<Word, Metric.Counter<number>>()
  for (const word of words) {
    const ofWord = Metric.withAttributes(counter, { ...labels, [label]: word.replaceAll("-", "_") })
    ofWord.updateUnsafe(0, context)
    series.set(word, ofWord)
  }
  return (word: Word, by = 1): void => series.get(word)?.updateUnsafe(by, context)
})

/** Makes the function that puts seconds into a histogram. */
export const clockOf = (histogram: Metric.Histogram<number>, labels: Labels = {}) =>
  Effect.map(Effect.context<never>(), (context) => {
    const series = Metric.withAttributes(histogram, labels)
    return (seconds: number): void => series.updateUnsafe(seconds, context)
  })

/** A gauge that is asked for its value whenever somebody looks, for as long as the scope is open. */
export const watchedGauge = (
  gauge: Metric.Gauge<number>,
  value: () => number,
  labels: Labels = {}
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        Metric.registerUnsafe(Metric.withAttributes(gauge, labels), context, {
          get: () => ({ value: value() }),
          update: () => {},
          modify: () => {}
        })
      ),
      ({ remove }) => Effect.sync(remove)
    ))
