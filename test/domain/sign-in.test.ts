import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type RecordRefusal, refusedAttempt, RefusedAttemptEvent } from "../../domain/refused-attempt.ts"
import { type RecordSignIn, signIn, SignInEvent } from "../../domain/sign-in.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const names = Arbitrary.schema(Schema.Literals(["nok", "lek"]))

const session = {
  sessionId: "s-1",
  operator: "nok",
  role: "support",
  source: "token",
  epoch: 0,
  at: "2026-11-22T05:00:00.000Z",
  expiresAt: "2026-11-22T13:00:00.000Z"
} as const
const record: RecordSignIn = { _tag: "RecordSignIn", ...session }

describe("a sign-in", () => {
  it("is recorded once, with operator, role and source", () => {
    const signedIn: SignInEvent = { _tag: "OperatorSignedIn", ...session }
    given(signIn).when(record).then(signedIn)
    given(signIn, signedIn).when(record).thenNothing()
  })

  itObeysTheLaws(signIn, SignInEvent, Arbitrary.map(names, (operator): RecordSignIn => ({ ...record, operator })))
})

const refusal = {
  refusalId: "r-1",
  operator: "nok",
  operation: "banService",
  surface: "api",
  at: "2026-11-22T05:00:00.000Z"
} as const
const refuse: RecordRefusal = { _tag: "RecordRefusal", ...refusal }

describe("a refused attempt", () => {
  it("is recorded once, with operator and operation", () => {
    const refused: RefusedAttemptEvent = { _tag: "OperatorRefused", ...refusal }
    given(refusedAttempt).when(refuse).then(refused)
    given(refusedAttempt, refused).when(refuse).thenNothing()
  })

  itObeysTheLaws(
    refusedAttempt,
    RefusedAttemptEvent,
    Arbitrary.map(names, (operator): RecordRefusal => ({ ...refuse, operator }))
  )
})
