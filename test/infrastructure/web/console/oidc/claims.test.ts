import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  type Claims,
  mergeClaims,
  needsUserInfo,
  operatorOf
} from "../../../../../infrastructure/web/console/oidc/claims.ts"
import type { OperatorRole } from "../../../../../domain/operators.ts"

const client = {
  trustsUnmarkedEmail: false,
  groupsClaim: "groups",
  nameClaim: "email",
  roles: new Map<string, OperatorRole>([["owners", "admin"], ["tills", "support"], ["books", "auditor"]])
}

const roleWith = (groups: unknown): string => {
  const operator = operatorOf(client, { email: "ann@shop.example", email_verified: true, groups })
  return Result.isSuccess(operator) ? operator.success.role : operator.failure._tag
}

const nameWith = (claims: Claims, nameClaim = "email"): string => {
  const operator = operatorOf({ ...client, nameClaim }, { groups: "tills", email_verified: true, ...claims })
  return Result.isSuccess(operator) ? operator.success.name : operator.failure._tag
}

describe("the account of a provider", () => {
  it("has the highest role of its groups", () => {
    assert.deepStrictEqual(
      [["tills", "books", "owners"], ["tills", "books"], ["tills", "other"], "owners", ["books"]].map(roleWith),
      ["admin", "auditor", "support", "admin", "auditor"]
    )
  })

  it("has no role without a group of the list, whatever the claim is", () => {
    const groups = [
      undefined,
      null,
      [],
      ["other"],
      "OWNERS",
      " owners",
      { owners: true },
      [["owners"]],
      1,
      "owners,tills"
    ]
    assert.deepStrictEqual(groups.map(roleWith), groups.map(() => "NoRole"))
  })

  it("has a name with the source in front, which no operator with a token can have", () => {
    assert.strictEqual(nameWith({ email: "ann@shop.example" }), "oidc:ann@shop.example")
    assert.strictEqual(nameWith({ sub: "1234" }, "sub"), "oidc:1234")
    assert.strictEqual(nameWith({ email: "สมชาย@shop.example" }), "oidc:สมชาย@shop.example")
  })

  it("cannot sign in without a usable name", () => {
    const names = [undefined, "", "  ", 7, ["ann@shop.example"], "a".repeat(201), "ann\u202e@shop.example", "ann\n@x"]
    assert.deepStrictEqual(names.map((email) => nameWith({ email })), names.map(() => "NoName"))
  })

  it("cannot sign in under a name that looks like another one", () => {
    const names = ["200b", "200d", "2060", "feff", "00ad", "3164", "e0041", "d800"].map((code) =>
      `ann${String.fromCodePoint(Number.parseInt(code, 16))}@shop.example`
    )
    assert.deepStrictEqual(names.map((email) => nameWith({ email })), names.map(() => "NoName"))
  })

  it("has no address that the provider calls unverified, neither as its name nor as its group", () => {
    const email = "ann@shop.example"
    assert.strictEqual(nameWith({ email, email_verified: false }), "NoName")
    assert.strictEqual(nameWith({ email, email_verified: "false" }), "NoName")
    for (const flag of ["False", "", "0", 0, null, []]) {
      assert.strictEqual(nameWith({ email, email_verified: flag }), "NoName")
    }
    for (const flag of [true, "true"]) assert.strictEqual(nameWith({ email, email_verified: flag }), `oidc:${email}`)
    const byAddress = {
      groupsClaim: "email",
      nameClaim: "sub",
      roles: new Map([[email, "admin"]] as const),
      trustsUnmarkedEmail: false
    }
    assert.isTrue(Result.isSuccess(operatorOf(byAddress, { sub: "1", email, email_verified: true })))
    assert.deepStrictEqual(operatorOf(byAddress, { sub: "1", email }), Result.fail({ _tag: "UnmarkedEmail" }))
    assert.isTrue(Result.isFailure(operatorOf(byAddress, { sub: "1", email, email_verified: false })))
  })

  it("has no address without the mark of the provider, unless the settings say that it sends none", () => {
    const account = { email: "ann@shop.example", groups: "tills" }
    assert.deepStrictEqual(operatorOf(client, account), Result.fail({ _tag: "UnmarkedEmail" }))
    const trusting = { ...client, trustsUnmarkedEmail: true }
    assert.deepStrictEqual(
      operatorOf(trusting, account),
      Result.succeed({ name: "oidc:ann@shop.example", role: "support" })
    )
    for (const flag of [false, "false", null, ""]) {
      assert.deepStrictEqual(
        operatorOf(trusting, { ...account, email_verified: flag }),
        Result.fail({ _tag: "NoName" })
      )
    }
    const bySubject = { ...client, nameClaim: "sub" }
    assert.isTrue(Result.isSuccess(operatorOf(bySubject, { ...account, sub: "1" })))
  })

  it("is asked for at UserInfo when the ID token lacks a claim that decides, the mark of the address included", () => {
    const whole = { email: "ann@shop.example", email_verified: true, groups: "tills" }
    assert.isFalse(needsUserInfo(client, whole))
    assert.isFalse(needsUserInfo(client, { ...whole, email_verified: false }))
    for (const claim of ["email", "email_verified", "groups"]) {
      assert.isTrue(needsUserInfo(client, { ...whole, [claim]: undefined }), claim)
    }
    assert.isFalse(needsUserInfo({ ...client, trustsUnmarkedEmail: true }, { ...whole, email_verified: undefined }))
  })

  it("takes claims of the ID token first, and an unverified address of either", () => {
    assert.deepStrictEqual(
      mergeClaims({ sub: "1", groups: ["tills"] }, { sub: "1", groups: ["owners"], email: "ann@shop.example" }),
      { sub: "1", groups: ["tills"], email: "ann@shop.example" }
    )
    const merged = mergeClaims({ email_verified: true }, { email: "ann@shop.example", email_verified: false })
    assert.strictEqual(nameWith(merged), "NoName")
  })
})
