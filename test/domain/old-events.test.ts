import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { allScopes } from "../../domain/api-key.ts"
import { issueDefaultKey, keyWith } from "../../domain/branch-keys.ts"
import {
  branches,
  consoleSessions,
  disclosures,
  jobs,
  signInLinks,
  slips,
  verifications
} from "../../domain/events/aggregates.ts"
import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { recordedEvent as recorded } from "../support/event-fixtures.ts"

const sealed = { k: "key", n: "nonce", c: "text" }

/** Written before `matching`, `upstream` and `askedBefore` existed. */
const oldSlipVerified = {
  verificationId: "v",
  branchId: "b",
  at: "2026-01-31T00:00:00.000Z",
  month: "2026-01",
  charged: true,
  remark: null,
  expectedAmount: null,
  isAmountMatched: null,
  serviceId: "s",
  sendingBank: "004",
  amount: 150_050,
  transferredAt: "2026-01-31T06:59:00+07:00",
  transfer: sealed,
  gateway: "sandbox",
  gatewayMillis: 3
}

/** docs/spec/events.md, "Changing an event". */
describe("an event of another version", () => {
  it("decodes without optional fields that were added later", () => {
    const event = slips.codec.decode(recorded("SlipVerified", oldSlipVerified))
    assert.deepStrictEqual(event, { _tag: "SlipVerified", ...oldSlipVerified } as typeof event)
  })

  it("of ended sessions names no operator, and keeps its bytes", () => {
    const data = { epoch: 4, at: "2026-01-31T00:00:00.000Z" }
    const event = consoleSessions.codec.decode(recorded("ConsoleSessionsEnded", data))
    assert.deepStrictEqual(event, { _tag: "ConsoleSessionsEnded", ...data })
    assert.deepStrictEqual(consoleSessions.codec.encode(event).data, data)
  })

  it("of a sign-in link lets it be redeemed and withdrawn", () => {
    const data = {
      branchId: "b-1",
      name: "Till 1",
      scopes: ["verify"],
      expiresAt: "2026-02-01T00:00:00.000Z",
      keyExpiresAt: null,
      networks: null,
      madeBy: null,
      at: "2026-01-31T00:00:00.000Z"
    }
    const event = signInLinks.codec.decode(recorded("SignInLinkMade", data))
    assert.deepStrictEqual(signInLinks.codec.encode(event).data, data)
    const { at } = data
    for (
      const command of [
        { _tag: "RedeemSignInLink", redemptionId: "r", keyDigest: "k", at },
        { _tag: "WithdrawSignInLink", branchId: "b-1", at }
      ] as const
    ) {
      const state = signInLinks.decider.evolve(signInLinks.decider.initialState, event)
      assert.strictEqual(Result.getOrThrow(signInLinks.decider.decide(command, state)).length, 1)
    }
  })

  it("of a disclosure names the interface, not an operator", () => {
    const data = {
      revealId: "r",
      by: "admin-api",
      command: "GET /admin/v1/trail",
      from: null,
      to: null,
      branchId: null,
      subject: { kind: "job", id: "j" },
      at: "2026-01-31T00:00:00.000Z"
    }
    const event = disclosures.codec.decode(recorded("PersonalDataRevealed", data))
    assert.deepStrictEqual(event, { _tag: "PersonalDataRevealed", ...data } as typeof event)
  })

  it("leads to the same state as a new event whose added fields are null or empty", () => {
    const added = { matching: null, upstream: null, askedBefore: [] }
    const [old, late] = [oldSlipVerified, { ...oldSlipVerified, ...added }].map((data) => {
      const state = slips.decider.evolve(slips.decider.initialState, slips.codec.decode(recorded("SlipVerified", data)))
      return { holders: state.holders, verifications: state.verifications, amount: state.first?.amount }
    })
    assert.deepStrictEqual(old, late)
  })

  it("has no verdict on conditions, and a new event without conditions has the same bytes", () => {
    const event = slips.codec.decode(recorded("SlipVerified", oldSlipVerified))
    assert.notProperty(event, "acceptance")
    const bytes = JSON.stringify(slips.codec.encode(event).data)
    assert.strictEqual(bytes, JSON.stringify(slips.codec.encode({ ...event, acceptance: undefined }).data))
    assert.deepStrictEqual(JSON.parse(bytes), oldSlipVerified)
  })

  it("has nothing for filters from before they existed, and a new event without a remark has the same bytes", () => {
    const {
      amount: _,
      gateway: __,
      gatewayMillis: ___,
      sendingBank: ____,
      serviceId,
      transfer,
      transferredAt,
      ...again
    } = oldSlipVerified
    const failure = {
      verificationId: "v",
      serviceId,
      branchId: "b",
      at: again.at,
      code: "SLIP_NOT_FOUND",
      why: "the slip is from the TrueMoney wallet, and a bank slip was requested",
      slipDigest: null,
      gateway: null,
      gatewayMillis: null
    }
    const attempt = {
      jobId: "j",
      branchId: "b",
      attempt: 1,
      at: again.at,
      code: "SLIP_NOT_FOUND",
      why: "the bank knows no such transfer",
      slipDigest: null,
      gateway: "sandbox",
      gatewayMillis: 3,
      nextAttemptAt: null
    }
    const enqueued = {
      jobId: "j",
      batchId: null,
      serviceId,
      branchId: "b",
      at: again.at,
      month: again.month,
      callbackUrl: null,
      batchIndex: null,
      batchSize: null,
      charged: true,
      source: transfer,
      remark: null,
      expectedAmount: null,
      nextAttemptAt: transferredAt
    }
    const roundTrips: ReadonlyArray<readonly [JsonObject, JsonObject]> = [
      [slips.codec.encode(slips.codec.decode(recorded("SlipVerifiedAgain", again))).data, again],
      [verifications.codec.encode(verifications.codec.decode(recorded("VerificationFailed", failure))).data, failure],
      [jobs.codec.encode(jobs.codec.decode(recorded("VerificationAttemptFailed", attempt))).data, attempt],
      [jobs.codec.encode(jobs.codec.decode(recorded("VerificationEnqueued", enqueued))).data, enqueued]
    ]
    for (const [written, old] of roundTrips) assert.deepStrictEqual({ ...written }, { ...old })
  })

  it("decodes without the fields that only a newer version knows", () => {
    const event = slips.codec.decode(recorded("SlipVerified", { ...oldSlipVerified, addedLater: "x" }))
    assert.notProperty(event, "addedLater")
  })

  it("is the issue of a default key with every scope, and a new default key has the same bytes", () => {
    const event = branches.codec.decode(recorded("ApiKeyIssued", { keyDigest: "d" }))
    assert.deepStrictEqual(event, { _tag: "ApiKeyIssued", keyDigest: "d" })
    const state = branches.decider.evolve(branches.decider.initialState, event)
    assert.strictEqual(state.keyDigest, "d")
    assert.deepInclude(keyWith(state, "d"), { name: null, scopes: allScopes, expiresAt: null, networks: null })
    assert.deepStrictEqual(branches.codec.encode(issueDefaultKey("d")).data, { keyDigest: "d" })
  })

  it("fails to decode when its type is unknown", () => {
    assert.throws(() => slips.codec.decode(recorded("SlipRenamed", oldSlipVerified)))
    assert.throws(() => jobs.codec.decode(recorded("SlipVerified", oldSlipVerified)))
  })

  it("fails to decode when a required field is missing or has another type", () => {
    const { gateway: _, ...without } = oldSlipVerified
    assert.throws(() => slips.codec.decode(recorded("SlipVerified", without)))
    assert.throws(() => slips.codec.decode(recorded("SlipVerified", { ...oldSlipVerified, amount: "150050" })))
  })
})
