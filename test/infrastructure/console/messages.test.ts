import { assert, describe, it } from "@effect/vitest"
import { issueText } from "../../../infrastructure/console/error-pages.ts"
import { messagesFor } from "../../../infrastructure/console/page-context.ts"
import { en } from "../../../infrastructure/console/messages/en.ts"
import { th } from "../../../infrastructure/console/messages/th.ts"

/** The path and the type of every message. */
const outline = (messages: unknown, path = ""): ReadonlyArray<string> =>
  typeof messages === "object" && messages !== null
    ? Object.entries(messages).flatMap(([name, value]) => outline(value, `${path}.${name}`)).sort()
    : [`${path} ${typeof messages}`]

const texts = (messages: unknown): ReadonlyArray<string> => {
  if (typeof messages === "object" && messages !== null) return Object.values(messages).flatMap(texts)
  return typeof messages === "string" ? [messages] : []
}

describe("the console's messages", () => {
  it("have the same keys in both languages, and no empty text", () => {
    assert.deepStrictEqual(outline(th), outline(en))
    assert.deepStrictEqual([...texts(en), ...texts(th)].filter((text) => text.trim() === ""), [])
  })

  it("contain Thai letters in Thai, except for names", () => {
    const latin = texts(th).filter((text) => !/[\u0E00-\u0E7F]/u.test(text))
    assert.deepStrictEqual(latin, ["th", "th-TH", "English", "ms", "URL"])
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
