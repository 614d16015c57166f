import { assert, describe, it } from "@effect/vitest"
import { exact, markup } from "../../infrastructure/pages/html.ts"
import { visibleLine, visibleText } from "../../infrastructure/visible-text.ts"

const hostile = "\u001b]0;title\u0007 \u009b2J \u007f \u202eSMITH\u2066 \u2028"
const shown = "\\u001b]0;title\\u0007 \\u009b2J \\u007f \\u202eSMITH\\u2066 \\u2028"

describe("visible text", () => {
  it("shows control characters and marks of direction as escapes", () => {
    assert.strictEqual(visibleLine(hostile), shown)
    assert.strictEqual(visibleText(hostile), shown)
  })

  it("keeps lines and tabs only where there may be several lines", () => {
    assert.strictEqual(visibleLine("a\tb\r\nc"), "a\\tb\\r\\nc")
    assert.strictEqual(visibleText("a\tb\r\nc"), "a\tb\r\nc")
  })

  it("keeps Thai letters with their marks, emoji and joiners", () => {
    for (const text of ["ร้านน้ำ ที่ ๑", "👩‍👩‍👧", "Zoë", "a\u200bb"]) assert.strictEqual(visibleLine(text), text)
  })
})

describe("a template of HTML", () => {
  it("shows the escapes in its text, and keeps a value that a form sends back", () => {
    assert.strictEqual(markup`<td>${"<b>\u202e"}</td>`.html, "<td>&lt;b&gt;\\u202e</td>")
    assert.strictEqual(markup`<input value="${exact('"\u202e')}">`.html, '<input value="&quot;\u202e">')
  })
})
