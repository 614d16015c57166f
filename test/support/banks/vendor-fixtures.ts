import { assert } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { Transfer } from "../../../domain/slip/transfer.ts"
import type { UpstreamResponse } from "../../../infrastructure/adapters/banks/upstream/https-client.ts"
import type { GatewayFailure } from "../../../infrastructure/adapters/banks/upstream/gateway.ts"
import type { GatewayAnswer } from "../../../ports/bank-gateway.ts"

const Expected = Schema.Struct({
  outcome: Schema.Literals([
    "Found",
    "NotFound",
    "Pending",
    "Unavailable",
    "NotAuthorised",
    "QuotaExhausted",
    "Quota"
  ]),
  transfer: Schema.optionalKey(Transfer),
  strength: Schema.optionalKey(Schema.Literals(["strong", "weak"])),
  concerns: Schema.optionalKey(Schema.Literals(["gateway", "slip"])),
  cause: Schema.optionalKey(Schema.Literals(["key", "ip", "account"])),
  retryAfterSeconds: Schema.optionalKey(Schema.Int),
  remaining: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  limit: Schema.optionalKey(Schema.NullOr(Schema.Finite))
})
type Expected = typeof Expected.Type

const Index = Schema.Struct({
  cases: Schema.Array(Schema.Struct({
    file: Schema.String,
    vendor: Schema.String,
    request: Schema.String,
    question: Schema.NullOr(Schema.Struct({
      sendingBank: Schema.String,
      transRef: Schema.String,
      payload: Schema.String
    })),
    status: Schema.Int,
    headers: Schema.Record(Schema.String, Schema.String),
    expected: Expected
  }))
})

const root = new URL("../../fixtures/resellers/", import.meta.url)
const { cases } = Schema.decodeSync(Schema.fromJsonString(Index))(
  readFileSync(new URL("index.json", root), "utf8")
)

/** The recorded answers of a vendor to questions about bank slips, or about the account. */
export const vendorFixtures = (vendor: string, about: "slip" | "account") =>
  cases.flatMap((fixture) => {
    const { expected, file, headers, question, request, status } = fixture
    if (fixture.vendor !== vendor || request.includes("truewallet")) return []
    if ((expected.outcome === "Quota") !== (about === "account")) return []
    const response: UpstreamResponse = {
      status,
      retryAfter: headers["retry-after"],
      text: readFileSync(new URL(file, root), "utf8")
    }
    const asked = { branchId: "branch-1", ...(question ?? { sendingBank: "", transRef: "", payload: "" }) }
    return [{ file, expected, question: asked, response }]
  })

/** Checks a definite answer against a fixture. */
export const assertAnswer = (answer: GatewayAnswer, expected: Expected): void => {
  assert.strictEqual(answer._tag, expected.outcome)
  if (answer._tag === "Found") assert.deepStrictEqual(answer.transfer, expected.transfer)
  if (answer._tag === "NotFound") assert.strictEqual(answer.isWeak ? "weak" : "strong", expected.strength)
  if (answer._tag === "Pending") assert.strictEqual(answer.retryAfterSeconds, expected.retryAfterSeconds)
}

/** Checks a failure against a fixture. */
export const assertFailure = ({ concerns, refusal, retryAfterSeconds }: GatewayFailure, expected: Expected): void => {
  if (refusal !== undefined) {
    assert.strictEqual(refusal === "quota" ? "QuotaExhausted" : "NotAuthorised", expected.outcome)
    if (refusal !== "quota") assert.strictEqual(refusal, expected.cause)
    return
  }
  assert.strictEqual("Unavailable", expected.outcome)
  // The bank behind the vendor failed: the circuit counts different slips.
  assert.strictEqual(concerns === "source" ? "gateway" : concerns, expected.concerns)
  if (expected.retryAfterSeconds !== undefined) assert.strictEqual(retryAfterSeconds, expected.retryAfterSeconds)
}
