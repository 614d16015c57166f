import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import {
  redeemable,
  signInLink,
  type SignInLinkCommand,
  SignInLinkEvent,
  type SignInLinkMade,
  type SignInLinkState
} from "../../domain/sign-in-link.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const link = {
  branchId: "b-1",
  name: "Till 1",
  scopes: ["verify"],
  expiresAt: "2026-11-23T05:00:00.000Z",
  keyExpiresAt: null,
  networks: null,
  madeBy: null,
  at: "2026-11-22T05:00:00.000Z"
} as const
const made: SignInLinkMade = { _tag: "SignInLinkMade", ...link }
const make: SignInLinkCommand = { _tag: "MakeSignInLink", ...link }
const redeem = (at: string, redemptionId = "r-1"): SignInLinkCommand => ({
  _tag: "RedeemSignInLink",
  redemptionId,
  keyDigest: "digest-1",
  at
})
const redeemed: SignInLinkEvent = {
  _tag: "SignInLinkRedeemed",
  branchId: "b-1",
  redemptionId: "r-1",
  keyDigest: "digest-1",
  at: "2026-11-23T04:59:59.999Z"
}
const reasonOf = (state: SignInLinkState, at: string) =>
  Result.match(redeemable(state, at), { onFailure: ({ reason }) => reason, onSuccess: () => "redeemable" })

describe("a sign-in link", () => {
  it("is made once", () => {
    given(signInLink).when(make).then(made)
    given(signInLink, made).when(make).thenNothing()
  })

  it("is redeemed once, before it expires", () => {
    given(signInLink, made).when(redeem("2026-11-23T04:59:59.999Z")).then(redeemed)
    given(signInLink, made).when(redeem("2026-11-23T05:00:00.000Z")).thenRejected("SignInLinkRefused")
    given(signInLink, made, redeemed).when(redeem("2026-11-23T04:00:00.000Z", "r-2")).thenRejected("SignInLinkRefused")
    given(signInLink).when(redeem("2026-11-22T05:00:00.000Z")).thenRejected("SignInLinkRefused")
  })

  it("says why it cannot be redeemed", () => {
    assert.strictEqual(reasonOf({ made: null, redemptionId: null }, link.at), "unknown")
    assert.strictEqual(reasonOf({ made, redemptionId: null }, link.at), "redeemable")
    assert.strictEqual(reasonOf({ made, redemptionId: null }, link.expiresAt), "expired")
    assert.strictEqual(reasonOf({ made, redemptionId: "r-1" }, link.at), "used")
  })

  itObeysTheLaws(
    signInLink,
    SignInLinkEvent,
    Arbitrary.map(
      Arbitrary.schema(Schema.Literals(["make", "redeem", "again", "late"])),
      (kind): SignInLinkCommand => kind === "make" ? make : redeem(kind === "late" ? link.expiresAt : link.at, kind)
    )
  )
})
