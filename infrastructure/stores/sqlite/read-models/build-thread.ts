import { modelName } from "../../../../projections/engine/model-name.ts"
import { projections } from "../../../../projections/models/all.ts"
import { serveThread } from "../../../threads/serve-thread.ts"
import { openLogPages } from "../events/log-pages.ts"
import { type CollectedPart, openBuild } from "./build-models.ts"

// A thread that builds shadow models from the log together with others, and then ends. It reads the log itself, because
// sending events or writes to another thread takes longer than projecting them. Its priority is not lowered: requests
// may wait for it.

/** What a thread opens, see `BuildOptions`. */
export interface BuildData {
  /** The file of the log, and of the read models. */
  readonly log: string
  readonly file: string
  readonly models: ReadonlyArray<string>
  readonly parts: ReadonlyArray<string>
  readonly part: number
  /** One integer, with which the threads of a build take turns. */
  readonly turn: SharedArrayBuffer
}

export type BuildRequest =
  /** Answered with a `CollectedPart`. Collects the events after a position, up to another. */
  | { readonly _tag: "Collect"; readonly after: number; readonly upTo: number }
  /** Answered with whether the shadow of the model is complete. */
  | { readonly _tag: "Load"; readonly model: string; readonly checkpoint: string }

export type BuildAnswer = CollectedPart | boolean

/** Runs functions of several threads one after the other. The integer is 1 while a function runs. */
const takingTurns = (turn: Int32Array) => (run: () => void): void => {
  while (Atomics.compareExchange(turn, 0, 0, 1) !== 0) Atomics.wait(turn, 0, 1)
  try {
    run()
  } finally {
    Atomics.store(turn, 0, 0)
    Atomics.notify(turn, 0, 1)
  }
}

serveThread<BuildData, undefined, BuildRequest, BuildAnswer>(({ file, log, models, part, parts, turn }) => {
  const build = openBuild({
    file,
    projections: projections.filter((projection) => models.includes(modelName(projection))),
    parts,
    part,
    inTurn: takingTurns(new Int32Array(turn))
  })
  return {
    ready: undefined,
    answer: (request) => {
      if (request._tag === "Load") return build.load(request.model, request.checkpoint)
      const reader = openLogPages(log)
      try {
        return build.collect(reader.pages(request.after, request.upTo))
      } finally {
        reader.close()
      }
    },
    close: build.close
  }
})
