import { assert, describe, it } from "@effect/vitest"
import { issueText } from "../../../infrastructure/console/error-pages.ts"
import { en } from "../../../infrastructure/console/messages/en.ts"
import { th } from "../../../infrastructure/console/messages/th.ts"

const wrong = ["Expected a value with a length between 1 and 200", "Missing key", "The body is not valid JSON"]

describe("what is wrong with a field", () => {
  it("is told in a sentence of the console's own, whatever the rule says", () => {
    for (const message of wrong) {
      assert.strictEqual(issueText(en, { path: "name", message }), "From 1 to 200 characters.")
      assert.strictEqual(issueText(th, { path: "name", message }), "ยาว 1 ถึง 200 ตัวอักษร")
      assert.strictEqual(issueText(th, { path: "ipWhitelist.3", message }), th.refusals.fields.ipWhitelist)
    }
  })

  it("is told in Thai in Thai, also of what nobody foresaw", () => {
    for (const path of ["", "overlapSeconds", "name of nothing"]) {
      for (const message of wrong) {
        const told = issueText(th, { path, message })
        assert.match(told, /^[\u0E00-\u0E7F ]+$/u)
        assert.strictEqual(issueText(en, { path, message }), message)
      }
    }
  })
})
