import { Effect } from "effect"

/** How far a long command is, on standard error; nothing unless that is a terminal and it takes over a second. */
export interface Progress {
  readonly say: (text: string) => Effect.Effect<void>
  /** Makes room for a line of data: what was said goes away until it is said again. */
  readonly clear: Effect.Effect<void>
}

/** Lasts as long as its scope. */
export const makeProgress = Effect.gen(function* () {
  const { stderr } = process
  let text = ""
  let shown = ""

  const draw = (next: string) => {
    if (next === shown) return
    stderr.write(`\r\u001b[K${next}`)
    shown = next
  }
  if (stderr.isTTY) {
    yield* Effect.sync(() => draw(text)).pipe(
      Effect.andThen(Effect.sleep("200 millis")),
      Effect.forever,
      Effect.delay("1 second"),
      Effect.forkScoped
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => draw("")))
  }

  const progress: Progress = {
    say: (next) =>
      Effect.sync(() => {
        text = next
      }),
    clear: Effect.sync(() => draw(""))
  }
  return progress
})
