import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { DisclosureEvent, type RecordReveal, reveal } from "../../domain/disclosure.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const disclosure = {
  revealId: "r-1",
  by: "somchai",
  command: "trail export",
  from: "2026-11-20T17:00:00.000Z",
  to: null,
  branchId: "b-1",
  subject: null,
  at: "2026-11-21T05:00:00.000Z"
}
const command: RecordReveal = { _tag: "RecordReveal", ...disclosure }
const revealed: DisclosureEvent = { _tag: "PersonalDataRevealed", ...disclosure }

describe("a disclosure of personal data", () => {
  it("is recorded with its actor and subject", () => {
    given(reveal).when(command).then(revealed)
  })

  it("is recorded once", () => {
    given(reveal, revealed).when(command).thenNothing()
    given(reveal, revealed).when({ ...command, by: "another operator" }).thenNothing()
  })

  itObeysTheLaws(
    reveal,
    DisclosureEvent,
    Arbitrary.map(Arbitrary.schema(Schema.Literals(["somchai", "somying"])), (by): RecordReveal => ({ ...command, by }))
  )
})
