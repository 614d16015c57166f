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
  operatorId: "o-1",
  defaultKey: "digest-0",
  keyDigest: "digest-1",
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
const withdraw = (at: string, branchId = "b-1"): SignInLinkCommand => ({ _tag: "WithdrawSignInLink", branchId, at })
const withdrawn: SignInLinkEvent = { _tag: "SignInLinkWithdrawn", branchId: "b-1", at: link.at }
const { initialState } = signInLink
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
    assert.strictEqual(reasonOf(initialState, link.at), "unknown")
    assert.strictEqual(reasonOf({ ...initialState, made }, link.at), "redeemable")
    assert.strictEqual(reasonOf({ ...initialState, made }, link.expiresAt), "expired")
    assert.strictEqual(reasonOf({ ...initialState, made, redemptionId: "r-1" }, link.at), "used")
    assert.strictEqual(reasonOf({ ...initialState, made, isWithdrawn: true }, link.at), "withdrawn")
  })

  it("is withdrawn by its branch, until it has ended or was redeemed", () => {
    given(signInLink, made).when(withdraw(link.at)).then(withdrawn)
    given(signInLink, made, withdrawn).when(withdraw(link.at)).thenNothing()
    given(signInLink, made).when(withdraw(link.expiresAt)).thenNothing()
    given(signInLink, made, redeemed).when(withdraw(link.at)).thenRejected("SignInLinkRefused")
    given(signInLink, made).when(withdraw(link.at, "b-2")).thenRejected("SignInLinkRefused")
    given(signInLink).when(withdraw(link.at)).thenRejected("SignInLinkRefused")
    given(signInLink, made, withdrawn).when(redeem(link.at)).thenRejected("SignInLinkRefused")
  })

  itObeysTheLaws(
    signInLink,
    SignInLinkEvent,
    Arbitrary.map(
      Arbitrary.schema(Schema.Literals(["make", "withdraw", "redeem", "again", "late"])),
      (kind): SignInLinkCommand => {
        if (kind === "make") return make
        return kind === "withdraw" ? withdraw(link.at) : redeem(kind === "late" ? link.expiresAt : link.at, kind)
      }
    )
  )
})
