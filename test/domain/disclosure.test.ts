import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { disclosure, DisclosureEvent, type RecordReveal } from "../../domain/disclosure.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const fields = {
  revealId: "r-1",
  by: "somchai",
  command: "trail export",
  from: "2026-11-20T17:00:00.000Z",
  to: null,
  branchId: "b-1",
  subject: null,
  at: "2026-11-21T05:00:00.000Z"
}
const command: RecordReveal = { _tag: "RecordReveal", ...fields }
const revealed: DisclosureEvent = { _tag: "PersonalDataRevealed", ...fields }

describe("a disclosure of personal data", () => {
  it("is recorded with its actor and subject", () => {
    given(disclosure).when(command).then(revealed)
  })

  it("is recorded once", () => {
    given(disclosure, revealed).when(command).thenNothing()
    given(disclosure, revealed).when({ ...command, by: "another operator" }).thenNothing()
  })

  itObeysTheLaws(
    disclosure,
    DisclosureEvent,
    Arbitrary.map(Arbitrary.schema(Schema.Literals(["somchai", "somying"])), (by): RecordReveal => ({ ...command, by }))
  )
})
