import { projections } from "../../../../projections/models/all.ts"
import { modelName } from "../../../../projections/engine/model-name.ts"
import { serveThread } from "../../../threads/serve-thread.ts"
import { openLogPages } from "../events/log-pages.ts"
import { buildModels } from "./build-models.ts"

// A thread that builds shadow models from the log, and then ends. It reads the log itself, because sending events or
// writes to another thread takes longer than projecting them. Its priority is not lowered: requests may wait for it.

export interface BuildRequest {
  /** The file of the log, and of the read models. */
  readonly log: string
  readonly file: string
  readonly models: ReadonlyArray<string>
  /** The last position to read. */
  readonly upTo: number
}

serveThread<undefined, undefined, BuildRequest, ReadonlyArray<string>>(() => ({
  ready: undefined,
  answer: ({ file, log, models, upTo }) => {
    const reader = openLogPages(log)
    try {
      const wanted = projections.filter((projection) => models.includes(modelName(projection)))
      return buildModels({ file, projections: wanted, pages: reader.pages(upTo) })
    } finally {
      reader.close()
    }
  }
}))
