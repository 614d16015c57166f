import { Effect, Metric, type Scope } from "effect"

type Labels = Readonly<Record<string, string>>

/** A series of a counter, there from the start: one that begins at its first event cannot be seen to rise with it. */
export const counterOf = (counter: Metric.Counter<number>, labels: Labels) => {
  const series = Metric.withAttributes(counter, labels)
  return Effect.as(Metric.update(series, 0), series)
}

/** The series of a counter for each word of a label. */
export const countersOf = <Word extends string>(
  counter: Metric.Counter<number>,
  label: string,
  words: ReadonlyArray<Word>,
  labels: Labels = {}
) =>
  Effect.map(
    Effect.forEach(words, (word) => Effect.map(counterOf(counter, { ...labels, [label]: word }), (of) => [word, of] as const)),
    (entries): ReadonlyMap<string, Metric.Counter<number>> => new Map(entries)
  )

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
