import { assert, describe, it } from "@effect/vitest"
import { issueText } from "../../../../infrastructure/web/console/error-pages.ts"
import { messagesFor, messagesIn } from "../../../../infrastructure/web/console/messages.ts"

const en = messagesIn("en")
const th = messagesIn("th")

const texts = (messages: unknown): ReadonlyArray<string> => {
  if (typeof messages === "object" && messages !== null) return Object.values(messages).flatMap(texts)
  return typeof messages === "string" ? [messages] : []
}

describe("the console's messages", () => {
  it("contain Thai letters in Thai, except for names", () => {
    const latin = texts(th).filter((text) => !/[\u0E00-\u0E7F]/u.test(text))
    assert.deepStrictEqual(latin, ["ms", "URL", "th", "th-TH"])
  })

  it("follow the cookie, else the browser's preference, else are English", () => {
    const chosen = (headers: Readonly<Record<string, string>>, cookies: Readonly<Record<string, string>> = {}) =>
      messagesFor({ headers, cookies }).language
    assert.strictEqual(chosen({}), "en")
    assert.strictEqual(chosen({ "accept-language": "th-TH,th;q=0.9,en;q=0.8" }), "th")
    assert.strictEqual(chosen({ "accept-language": "de, th;q=0.3, en;q=0.8" }), "en")
    assert.strictEqual(chosen({ "accept-language": "en" }, { sliptrail_console_language: "th" }), "th")
    assert.strictEqual(chosen({ "accept-language": "th" }, { sliptrail_console_language: "xx" }), "th")
  })
})

const schemaMessages = [
  "Expected 1 to 200 characters",
  "This field is required",
  "The body is not valid JSON"
]

describe("the error of a field", () => {
  it("is the console's own text, not the schema's message", () => {
    for (const message of schemaMessages) {
      assert.strictEqual(issueText(en, { path: "name", message }), "1 to 200 characters.")
      assert.strictEqual(issueText(th, { path: "name", message }), "ยาว 1 ถึง 200 ตัวอักษร")
      assert.strictEqual(issueText(th, { path: "ipWhitelist.3", message }), th.rejections.fields.ipWhitelist)
    }
  })

  it("is a general Thai text for a field without its own text, and the schema's message in English", () => {
    for (const path of ["", "overlapSeconds", "name of nothing"]) {
      for (const message of schemaMessages) {
        assert.match(issueText(th, { path, message }), /^[\u0E00-\u0E7F ]+$/u)
        assert.strictEqual(issueText(en, { path, message }), message)
      }
    }
  })
})
