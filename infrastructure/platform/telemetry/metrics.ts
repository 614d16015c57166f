import { Cause, Effect, Exit, Metric, Option, type Scope } from "effect"

/** Reports the exit of an effect and its duration in seconds. Interruptions are not reported. */
export const measured = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  report: (exit: Exit.Exit<A, E>, seconds: number) => void
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    return Effect.onExit(effect, (exit) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit) || !Cause.hasInterruptsOnly(exit.cause)) {
          report(exit, (performance.now() - startedAt) / 1_000)
        }
      }))
  })

/** The typed failure of an exit; undefined for a success, a defect or an interruption. */
export const failureOf = <E>(exit: Exit.Exit<unknown, E>): E | undefined =>
  Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Cause.findErrorOption(exit.cause))

/** Histogram boundaries from half a millisecond to ten seconds. */
export const secondsBoundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Labels = Readonly<Record<string, string>>

/**
 * One series of a counter. Hot path: `Metric.withAttributes` makes a context at each update. Guarded by `npm run bench -- http`.
 */
export const counterSeries = ({ description, id }: Metric.Counter<number>, labels: Labels): Metric.Counter<number> =>
  Metric.counter(id, { description, incremental: true, attributes: labels })

/**
 * Makes a function that counts by the value of a label. Each series exists from the start with the value 0: a rate
 * cannot show the first event of a series that begins with it.
 */
export const countByLabel = Effect.fnUntraced(function* <Value extends string>(
  counter: Metric.Counter<number>,
  label: string,
  values: ReadonlyArray<Value>,
  labels: Labels = {}
) {
  const context = yield* Effect.context<never>()
  const series = new Map<Value, Metric.Counter<number>>()
  for (const value of values) {
    const labelled = counterSeries(counter, { ...labels, [label]: value.replaceAll("-", "_") })
    labelled.updateUnsafe(0, context)
    series.set(value, labelled)
  }
  return (value: Value, by = 1): void => series.get(value)?.updateUnsafe(by, context)
})

/** Makes a function that records seconds in a histogram. */
export const secondsRecorder = (histogram: Metric.Histogram<number>) =>
  Effect.map(Effect.context<never>(), (context) => (seconds: number): void => histogram.updateUnsafe(seconds, context))

/** Registers a gauge whose value is computed at each export, until the scope closes. */
export const observableGauge = (
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
