import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const page = readFileSync(`${root}docs/architecture.md`, "utf8")

/** The files that a part of the page names. `http/` is short for `infrastructure/web/http/`. */
const filesIn = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(/`((?:http|application|domain|infrastructure|ports|projections|sdk|test)\/[\w/.-]+\.ts)`/gu),
    ([, path = ""]) => path.startsWith("http/") ? `infrastructure/web/${path}` : path
  )

const between = (start: string, end: string): string => page.slice(page.indexOf(start), page.indexOf(end))

describe("docs/architecture.md", () => {
  it("names files that exist", () => {
    assert.deepStrictEqual(filesIn(page).filter((path) => !existsSync(root + path)), [])
  })

  it("describes the path from a payload to the answer in at most 30 files", () => {
    const files = new Set(filesIn(between("### From a payload", "### From an enqueued slip")))
    assert.include(page, `in ${files.size} files`)
    assert.isAtMost(files.size, 30)
  })

  it("describes the path from an enqueued slip to its callback in at most 45 files", () => {
    const files = new Set(filesIn(between("| enqueue |", "`http/` stands for")))
    // The request itself takes twelve files of the other path.
    assert.include(page, `in ${files.size + 12} files`)
    assert.isAtMost(files.size + 12, 45)
  })
})
