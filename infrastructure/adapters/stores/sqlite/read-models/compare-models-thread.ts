import { projections } from "../../../../../projections/models/all.ts"
import type { ModelDifferences } from "../../../../../projections/engine/model-difference.ts"
import { serveThread } from "../../../../platform/threads/serve-thread.ts"
import { type ComparedFiles, compareModels } from "./compare-models.ts"

// A thread that compares read models with the log, and then ends. SQLite is busy for as long as the log is large.

export interface CompareRequest extends ComparedFiles {
  /** Names of projections. */
  readonly names: ReadonlyArray<string>
}

serveThread<undefined, undefined, CompareRequest, ReadonlyArray<ModelDifferences>>(() => ({
  ready: undefined,
  answer: ({ names, ...files }) => compareModels(files, projections.filter(({ name }) => names.includes(name)))
}))
