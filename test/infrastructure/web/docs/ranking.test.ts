import { assert, describe, it } from "@effect/vitest"
import { indexed, search, type SearchEntry } from "../../../../infrastructure/web/docs/ranking.js"

const entry = (title: string, text: string, id?: string): SearchEntry => ({
  url: `/${title}`,
  kind: "Guide",
  title,
  detail: text,
  ...(id === undefined ? {} : { id }),
  names: indexed(`${title} ${id ?? ""}`),
  words: indexed(text)
})

const entries = [
  entry("Callbacks", "A callback delivers the result of a pending slip"),
  entry("Verify a slip now", "Answers isDuplicate", "verifyBank"),
  entry("SLIP_PENDING", "Retry later", "SLIP_PENDING"),
  entry("เริ่มต้นใช้งาน", "ตรวจสลิปโอนเงิน")
]

const titles = (query: string) => search(entries, query).map(({ title }) => title)

describe("the search of the documentation", () => {
  it("puts an exact name first, in any case", () => {
    assert.deepStrictEqual(titles("slip_pending"), ["SLIP_PENDING"])
    assert.strictEqual(titles("VERIFYBANK")[0], "Verify a slip now")
  })

  it("finds parts of names and beginnings of words, titles before texts", () => {
    assert.deepStrictEqual(titles("pend"), ["SLIP_PENDING", "Callbacks"])
    assert.deepStrictEqual(titles("duplicate"), ["Verify a slip now"])
    assert.deepStrictEqual(titles("isDup"), ["Verify a slip now"])
    assert.deepStrictEqual(titles("uplicate"), [])
  })

  it("prefers entries with all words, and falls back to some", () => {
    assert.deepStrictEqual(titles("pending retry"), ["SLIP_PENDING"])
    assert.deepStrictEqual(titles("retry nonsense"), ["SLIP_PENDING"])
  })

  it("finds Thai inside a run of text", () => {
    assert.deepStrictEqual(titles("โอน"), ["เริ่มต้นใช้งาน"])
  })

  it("finds nothing for a query without words, and ignores the end of a long one", () => {
    for (const query of ["", "   ", "<>\"'&", "\u0000", "^(.*)+$ ".repeat(2)]) assert.deepStrictEqual(titles(query), [])
    assert.deepStrictEqual(titles(`retry${" ".repeat(200)}verifyBank`), ["SLIP_PENDING"])
    assert.deepStrictEqual(titles("x".repeat(100_000)), [])
  })

  it("limits the results", () => {
    assert.lengthOf(search(Array.from({ length: 50 }, () => entry("Same", "")), "same", 7), 7)
  })
})
