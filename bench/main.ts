import { NodeRuntime } from "@effect/platform-node"
import { Effect } from "effect"
import { BenchError, type Figure, type Finding } from "./figure.ts"
import { callbacks } from "./callbacks/callbacks.ts"
import { growth } from "./http/growth.ts"
import { guards } from "./http/guards.ts"
import { hostile, soak } from "./hostile/hostile.ts"
import { http } from "./http/http.ts"
import { large } from "./http/large.ts"
import { describeMachine } from "./measure/machine.ts"
import { type Options, readOptions, usage } from "./options.ts"
import { loop } from "./pictures/loop.ts"
import { memory } from "./pictures/memory.ts"
import { reader } from "./pictures/reader.ts"
import { proof } from "./proof/proof.ts"
import { scale } from "./scale/scale.ts"
import { rebuild } from "./rebuild/rebuild.ts"
import { shared } from "./shared/shared.ts"
import { start } from "./start/start.ts"
import { store } from "./store/store.ts"
import { table } from "./table.ts"
import { trail } from "./trail/trail.ts"

const figures: ReadonlyArray<Figure> = [
  http,
  guards,
  growth,
  reader,
  loop,
  memory,
  store,
  proof,
  shared,
  scale,
  callbacks,
  trail,
  start,
  hostile
]

/** Figures that run only by name, because they take long. */
const namedFigures: ReadonlyArray<Figure> = [large, rebuild, soak]

const print = (text: string) => Effect.sync(() => process.stdout.write(`${text}\n`))

/** Measures one figure. A failure counts as a missed target. */
const measure = Effect.fnUntraced(function* (figure: Figure, options: Options) {
  yield* print(`\n${figure.name}: ${figure.about}`)
  const started = performance.now()
  const findings = yield* Effect.scoped(figure.run(options)).pipe(
    Effect.catch(({ message }) => Effect.succeed([failed(message)]))
  )
  yield* print(table(findings))
  yield* print(`  (${((performance.now() - started) / 1_000).toFixed(0)} s)`)
  return findings.filter(({ verdict }) => verdict !== undefined && verdict !== "met").map(({ what }) =>
    `${figure.name}: ${what}`
  )
})

const failed = (message: string): Finding => ({
  what: "measurement failed",
  measured: message,
  baseline: "",
  value: "",
  target: "",
  verdict: "missed"
})

const selectFigures = ({ names }: Options): Effect.Effect<ReadonlyArray<Figure>, BenchError> => {
  const all = [...figures, ...namedFigures]
  const unknown = names.find((name) => all.every((figure) => figure.name !== name))
  if (unknown === undefined) {
    return Effect.succeed(names.length === 0 ? figures : all.filter(({ name }) => names.includes(name)))
  }
  const known = all.map(({ name }) => name).join(", ")
  return Effect.fail(new BenchError({ message: `unknown figure "${unknown}"; the figures are: ${known}` }))
}

const program = Effect.gen(function* () {
  const options = yield* Effect.try({
    try: () => readOptions(process.argv.slice(2)),
    catch: (cause) => new BenchError({ message: cause instanceof Error ? cause.message : String(cause) })
  })
  if (options.help) {
    const lines = [...figures, ...namedFigures].map(({ about, name }) => `  ${name.padEnd(11)}${about}`)
    return yield* print(`${usage}\n${lines.join("\n")}`)
  }
  const selected = yield* selectFigures(options)
  yield* print(yield* Effect.sync(describeMachine))
  const missed = (yield* Effect.forEach(selected, (figure) => measure(figure, options))).flat()
  if (missed.length > 0) return yield* new BenchError({ message: `missed targets: ${missed.join("; ")}` })
  yield* print("\nAll targets were met.")
})

program.pipe(
  Effect.tapError(({ message }) => print(`\n${message}`)),
  Effect.tapDefect((defect) => print(`\n${String(defect)}`)),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
