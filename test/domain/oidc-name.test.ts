import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type BindOidcName, nameKey, oidcName, OidcNameEvent } from "../../domain/oidc-name.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const fields = {
  name: "oidc:ann@shop.example",
  issuer: "https://sso.shop.example/",
  subject: "1",
  at: "2026-11-28T03:00:00.000Z"
}
const bind = (change: Partial<typeof fields> = {}): BindOidcName => ({ _tag: "BindOidcName", ...fields, ...change })
const bound: OidcNameEvent = { _tag: "OidcNameBound", ...fields }

describe("the name of an account of a provider", () => {
  it("belongs to the account that signs in with it first", () => {
    given(oidcName).when(bind()).then(bound)
    given(oidcName, bound).when(bind({ at: "2027-01-01T00:00:00.000Z" })).thenNothing()
  })

  it("is refused to another subject, and to the same subject of another issuer", () => {
    given(oidcName, bound).when(bind({ subject: "2" })).thenRejected("OidcNameTaken")
    given(oidcName, bound).when(bind({ issuer: "https://other.example/" })).thenRejected("OidcNameTaken")
  })

  it("is one name in any case and composition", () => {
    for (const name of ["OIDC:Ann@Shop.example", "oidc:ａnn@shop.example"]) {
      assert.strictEqual(nameKey(name), nameKey(fields.name))
    }
    assert.strictEqual(nameKey("oidc:zoe\u0308"), nameKey("oidc:zo\u00eb"))
    assert.notStrictEqual(nameKey("oidc:zoe"), nameKey("oidc:zo\u00eb"))
  })

  itObeysTheLaws(
    oidcName,
    OidcNameEvent,
    Arbitrary.map(Arbitrary.schema(Schema.Literals(["1", "2"])), (subject) => bind({ subject }))
  )
})
