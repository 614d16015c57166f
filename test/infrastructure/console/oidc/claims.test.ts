import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type Claims, mergeClaims, operatorOf } from "../../../../infrastructure/console/oidc/claims.ts"
import type { OperatorRole } from "../../../../domain/operators.ts"

const client = {
  groupsClaim: "groups",
  nameClaim: "email",
  roles: new Map<string, OperatorRole>([["owners", "admin"], ["tills", "support"], ["books", "auditor"]])
}

const roleWith = (groups: unknown): string => {
  const operator = operatorOf(client, { email: "ann@shop.example", groups })
  return Result.isSuccess(operator) ? operator.success.role : operator.failure._tag
}

const nameWith = (claims: Claims, nameClaim = "email"): string => {
  const operator = operatorOf({ ...client, nameClaim }, { groups: "tills", ...claims })
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
    const byAddress = { groupsClaim: "email", nameClaim: "sub", roles: new Map([[email, "admin"]] as const) }
    assert.isTrue(Result.isSuccess(operatorOf(byAddress, { sub: "1", email })))
    assert.isTrue(Result.isFailure(operatorOf(byAddress, { sub: "1", email, email_verified: false })))
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
