import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"

export const page = readFileSync(new URL("../../docs/migrating.md", import.meta.url), "utf8")

/** The headings of the page, in order. */
export const headings = Array.from(page.matchAll(/^#{1,4} (.+)$/gmu), ([, heading = ""]) => heading)

/** The text below a heading, up to the next heading of any level. */
const below = (heading: string): string => {
  const [, text] = page.split(new RegExp(`^#+ ${heading}$`, "mu"))
  assert.isDefined(text, `there is no heading ${heading}`)
  return text?.split(/^#+ /mu)[0] ?? ""
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line.split(/(?<!\\)\|/u).slice(1, -1).map((cell) => cell.trim())

/** The body rows of the tables below a heading whose first column has this head. */
export const rows = (heading: string, head: string): ReadonlyArray<ReadonlyArray<string>> => {
  const found = Array.from(
    below(heading).matchAll(/^(\|.*\|)\n\|[-|]+\|\n((?:\|.*\|\n)+)/gmu),
    ([, top = "", body = ""]) => cellsOf(top)[0] === head ? body.trimEnd().split("\n").map(cellsOf) : []
  ).flat()
  assert.isNotEmpty(found, `there is no table of a ${head} below ${heading}`)
  return found
}

/** Texts between backticks, without code blocks. */
export const coded = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/gu), ([, code = ""]) => code)

/** The commands of the blocks of shell code, each on one line. */
export const commands = Array.from(
  page.matchAll(/^ *```sh\n([^]*?)```$/gmu),
  ([, block = ""]) => block.replaceAll(/\\\n\s*/gu, "").trim().split("\n").map((line) => line.trim())
).flat()

export interface FieldRow {
  readonly names: ReadonlyArray<string>
  readonly comparison: "equal" | "more" | "differs" | "not there"
  readonly note: string
}

const isComparison = (word: string): word is FieldRow["comparison"] =>
  ["equal", "more", "differs", "not there"].includes(word)

/** A table with fields (or `head`), a comparison and a note in each row. */
export const fieldRows = (heading: string, head = "field"): ReadonlyArray<FieldRow> =>
  rows(heading, head).map(([names = "", comparison = "", note = "", ...more]) => {
    assert.isTrue(isComparison(comparison) && more.length === 0, `${names} of ${heading} is "${comparison}"`)
    return { names: coded(names), comparison: isComparison(comparison) ? comparison : "equal", note }
  })

/** The codes of a table with their statuses. */
export const codeRows = (heading: string): ReadonlyArray<readonly [code: string, status: number]> =>
  rows(heading, "code").flatMap(([codes = "", status = "", comparison = ""]) => {
    assert.isTrue(isComparison(comparison), `${codes} is "${comparison}"`)
    return coded(codes).map((code) => [code, Number(status)] as const)
  })
