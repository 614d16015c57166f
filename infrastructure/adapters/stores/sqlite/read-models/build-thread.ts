import { modelName } from "../../../../../projections/engine/model-name.ts"
import { projections } from "../../../../../projections/models/all.ts"
import { serveThread } from "../../../../platform/threads/serve-thread.ts"
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
}

export type BuildRequest =
  /** Answered with a `CollectedPart`. Collects the events after a position, up to another. */
  | { readonly _tag: "Collect"; readonly after: number; readonly upTo: number }
  /** Answered with true. */
  | { readonly _tag: "Sort"; readonly model: string; readonly hasRemovals: boolean }
  /** Answered with whether the shadow of the model is complete. */
  | { readonly _tag: "Fill"; readonly model: string; readonly checkpoint: string }

export type BuildAnswer = CollectedPart | boolean

serveThread<BuildData, undefined, BuildRequest, BuildAnswer>(({ file, log, models, part, parts }) => {
  const build = openBuild({
    file,
    projections: projections.filter((projection) => models.includes(modelName(projection))),
    parts,
    part
  })
  return {
    ready: undefined,
    answer: (request) => {
      switch (request._tag) {
        case "Collect": {
          const reader = openLogPages(log)
          try {
            return build.collect(reader.pages(request.after, request.upTo))
          } finally {
            reader.close()
          }
        }
        case "Sort":
          build.sort(request.model, request)
          return true
        case "Fill":
          return build.fill(request.model, request.checkpoint)
      }
    },
    close: build.close
  }
})
