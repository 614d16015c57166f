import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type RecordExport, trailExport, TrailExportEvent } from "../../domain/trail-export.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const fields = {
  exportId: "e-1",
  format: "csv",
  personalData: "masked",
  from: "2026-11-20T17:00:00.000Z",
  to: null,
  after: "12/12",
  subject: { kind: "branch", id: "b-1" },
  at: "2026-11-21T05:00:00.000Z"
} as const
const command: RecordExport = { _tag: "RecordExport", ...fields }
const exported: TrailExportEvent = { _tag: "TrailExported", ...fields }

describe("an export of events", () => {
  it("is recorded with its range, subject and format", () => {
    given(trailExport).when(command).then(exported)
  })

  it("is recorded once", () => {
    given(trailExport, exported).when(command).thenNothing()
    given(trailExport, exported).when({ ...command, format: "ndjson" }).thenNothing()
  })

  itObeysTheLaws(
    trailExport,
    TrailExportEvent,
    Arbitrary.map(
      Arbitrary.schema(Schema.Literals(["sealed", "masked", "revealed"])),
      (personalData): RecordExport => ({ ...command, personalData })
    )
  )
})
