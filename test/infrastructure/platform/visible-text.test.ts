import { assert, describe, it } from "@effect/vitest"
import { exact, markup } from "../../../infrastructure/web/pages/html.ts"
import { visibleLine, visibleText } from "../../../infrastructure/platform/visible-text.ts"

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

  it("keeps Thai letters with their marks, and emoji with what joins them", () => {
    const joined = [
      "👩\u200d👩\u200d👧",
      "👩\u200d❤\ufe0f\u200d👩",
      "🏳\ufe0f\u200d🌈",
      "👩🏽\u200d🔬",
      "1\ufe0f\u20e3",
      "❤\ufe0f"
    ]
    const scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"
    for (const text of ["ร้านน้ำ ที่ ๑ กำ", "Zoë", "ＡＢＣ", ...joined, scotland]) {
      assert.strictEqual(visibleLine(text), text)
      assert.strictEqual(visibleText(text), text)
    }
  })

  it("shows each character without a width as an escape", () => {
    const ranges = [
      [0x00ad, 0x00ad],
      [0x034f, 0x034f],
      [0x061c, 0x061c],
      [0x115f, 0x1160],
      [0x17b4, 0x17b5],
      [0x180b, 0x180f],
      [0x200b, 0x200f],
      [0x2028, 0x202e],
      [0x2060, 0x206f],
      [0x3164, 0x3164],
      [0xfe00, 0xfe0f],
      [0xfeff, 0xfeff],
      [0xffa0, 0xffa0],
      [0xfff9, 0xfffb]
    ] as const
    for (const [first, last] of ranges) {
      for (let code = first; code <= last; code++) {
        const shown = `น\\u${code.toString(16).padStart(4, "0")}้`
        assert.strictEqual(visibleLine(`น${String.fromCodePoint(code)}้`), shown)
        assert.strictEqual(visibleText(`น${String.fromCodePoint(code)}้`), shown)
      }
    }
  })

  it("shows characters above the first plane as two escapes, which JSON reads as the same text", () => {
    for (const code of [0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef]) {
      const text = JSON.stringify({ name: `a${String.fromCodePoint(code)}` })
      assert.match(visibleText(text), /^\{"name":"a\\u[0-9a-f]{4}\\u[0-9a-f]{4}"\}$/u)
      assert.deepStrictEqual(JSON.parse(visibleText(text)), JSON.parse(text))
    }
  })

  it("shows a joiner or a selector that joins no emoji, and hidden text behind a flag", () => {
    assert.strictEqual(visibleLine("ann\u200d"), "ann\\u200d")
    assert.strictEqual(visibleLine("👩\u200d"), "👩\\u200d")
    assert.strictEqual(visibleLine("\u200d👩"), "\\u200d👩")
    assert.strictEqual(visibleLine("1\ufe0f2"), "1\\ufe0f2")
    assert.strictEqual(visibleLine("❤\ufe0f\ufe0f"), "❤\ufe0f\\ufe0f")
    assert.strictEqual(visibleLine("\u{1f3f4}\u{e0061}"), "\u{1f3f4}\\udb40\\udc61")
  })
})

describe("a template of HTML", () => {
  it("shows the escapes in its text, and keeps a value that a form sends back", () => {
    assert.strictEqual(markup`<td>${"<b>\u202e"}</td>`.html, "<td>&lt;b&gt;\\u202e</td>")
    assert.strictEqual(markup`<input value="${exact('"\u202e')}">`.html, '<input value="&quot;\u202e">')
  })
})
