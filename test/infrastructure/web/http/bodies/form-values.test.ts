import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { formReader } from "../../../../../infrastructure/web/http/bodies/form-values.ts"
import { v2Operations } from "../../../../../infrastructure/web/api/operations/all.ts"
import type { Body, Operation } from "../../../../../infrastructure/web/api/operation.ts"
import { BankAccountRequest } from "../../../../../infrastructure/web/api/requests/bank-accounts.ts"
import { RotateRequest } from "../../../../../infrastructure/web/api/requests/provisioning.ts"

const Example = Schema.Struct({
  text: Schema.String,
  count: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))),
  limit: Schema.NullOr(Schema.Finite),
  isNew: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  names: Schema.optionalKey(Schema.Array(Schema.String)),
  nested: Schema.optionalKey(Schema.Struct({ a: Schema.Int })),
  mixed: Schema.optionalKey(Schema.Union([Schema.String, Schema.Int]))
})

describe("the fields of a form", () => {
  const read = formReader(Example)

  it("get the types that they have in JSON", () => {
    const fields = {
      text: "1",
      count: "7",
      limit: "-1.50",
      isNew: "True",
      names: '["a"]',
      nested: '{"a":1}',
      mixed: "1"
    }
    assert.deepStrictEqual<unknown>(read(fields), {
      text: "1",
      count: 7,
      limit: -1.5,
      isNew: true,
      names: ["a"],
      nested: { a: 1 },
      mixed: "1"
    })
  })

  it("stay as they are when they stand for no value of the type", () => {
    const fields = { count: "seven", limit: "1e3", isNew: "yes", names: "a,b", nested: "{", other: "1" }
    assert.deepStrictEqual<unknown>(read(fields), fields)
    const long = JSON.stringify(["a".repeat(8_192)])
    assert.deepStrictEqual<unknown>(read({ names: long }), { names: long })
  })

  it("are not ignored when they are in parts", () => {
    for (const name of ["names[]", "names[0]", "names.0"]) {
      assert.strictEqual(typeof read({ [name]: "a" })["names"], "string", name)
    }
    assert.deepStrictEqual<unknown>(read({ "texts[]": "a" }), { "texts[]": "a" })
  })

  it("are those of a rotation and of a bank account", () => {
    assert.deepStrictEqual<unknown>(formReader(RotateRequest)({ overlapSeconds: "3600" }), { overlapSeconds: 3600 })
    const account = { bankCode: "004", bankNumber: "0123456789", nameTh: "1", ref1: "2", type: "PERSONAL" }
    assert.deepStrictEqual<unknown>(formReader(BankAccountRequest)(account), account)
  })
})

describe("every body of v2", () => {
  const bodies = Object.entries<Operation & { readonly body?: Body }>(v2Operations).flatMap(([name, { body }]) =>
    body === undefined ? [] : [{ name, body }]
  )

  it("may be an urlencoded form, except a batch", () => {
    const others = bodies.filter(({ body }) => body.urlencoded === undefined).map(({ name }) => name)
    assert.deepStrictEqual(others, ["verifyWalletBatch", "verifyBankBatch"])
    assert.isAbove(bodies.length, others.length)
  })
})
