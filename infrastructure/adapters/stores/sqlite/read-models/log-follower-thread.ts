import { projections } from "../../../../../projections/models/all.ts"
import { makeExtendBlock, makeProjectLog } from "./follow-log.ts"
import { serveModels } from "./serve-models.ts"

// The thread of the read models beside an embedded log. It is ready when the projections are loaded: until then the main
// thread projects.

serveModels((pages, apply) => ({
  project: makeProjectLog(projections, pages, apply),
  extend: makeExtendBlock(pages)
}))
