import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type EraseSlip, erasure, ErasureEvent } from "../../domain/erasure.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const about = {
  slipDigest: "d-1",
  jobIds: ["j-1"],
  serviceIds: ["s-1"],
  reason: "asked for on paper",
  at: "2026-11-21T05:00:00.000Z"
}
const forget = (change: Partial<EraseSlip> = {}): EraseSlip => ({ _tag: "EraseSlip", ...about, ...change })
const forgotten = (change: Partial<typeof about> = {}): ErasureEvent => ({
  _tag: "PersonalDataForgotten",
  ...about,
  ...change
})

describe("an erasure", () => {
  it("is recorded with the jobs of the slip, each once", () => {
    given(erasure).when(forget()).then(forgotten())
    given(erasure).when(forget({ jobIds: [] })).then(forgotten({ jobIds: [] }))
    given(erasure).when(forget({ jobIds: ["j-1", "j-1", "j-2"] })).then(forgotten({ jobIds: ["j-1", "j-2"] }))
  })

  it("has no effect when it is repeated, except for newer jobs and services", () => {
    given(erasure, forgotten()).when(forget({ reason: null })).thenNothing()
    given(erasure, forgotten()).when(forget({ jobIds: ["j-1", "j-2"] })).then(
      forgotten({ jobIds: ["j-2"], serviceIds: [] })
    )
  })

  it("is recorded again with a service that verified the slip later", () => {
    given(erasure, forgotten()).when(forget({ serviceIds: ["s-1", "s-2"] })).then(
      forgotten({ jobIds: [], serviceIds: ["s-2"] })
    )
  })

  it("is read from events without services", () => {
    const { serviceIds: _, ...old } = about
    given(erasure, { _tag: "PersonalDataForgotten", ...old }).when(forget()).then(forgotten({ jobIds: [] }))
  })
})

const Command = Schema.TaggedUnion({
  EraseSlip: {
    slipDigest: Schema.Literal("d-1"),
    jobIds: Schema.Array(Schema.Literals(["j-1", "j-2", "j-3"])),
    serviceIds: Schema.Array(Schema.Literals(["s-1", "s-2"])),
    reason: Schema.NullOr(Schema.String),
    at: Schema.String
  }
})

describe("any erasure", () => {
  itObeysTheLaws(erasure, ErasureEvent, Arbitrary.schema(Command))
})
