import { assert, describe, it } from "@effect/vitest"
import { findLinkProblems } from "../../tools/links/find-problems.ts"

const docs = {
  "docs/a.md": "# Page\n\n## POST /v2/verify\n\n## The `same`\n\n## The same\n\n```sh\n# no heading\n```\n",
  "docs/decisions/0012-banks.md": "# 0012. Banks\n",
  "docs/picture.png": ""
}

const problemsIn = (file: string, text: string): ReadonlyArray<string> =>
  findLinkProblems(new Map([...Object.entries(docs), [file, text]])).map(({ line, reason }) => `${line} ${reason}`)

/** A comment of a source file. It is built here so that the check does not read these cases as citations. */
const comment = (...lines: ReadonlyArray<string>): string =>
  ["/**", ...lines.map((line) => ` * ${line}`), " */"].join("\n")

describe("citations in comments", () => {
  it("pass when file and headings exist, also across line breaks", () => {
    for (
      const lines of [["(docs/a.md)"], ['(docs/a.md, "Page", "The same").'], ['as in docs/a.md, "POST', '/v2/verify".']]
    ) {
      assert.deepStrictEqual(problemsIn("domain/a.ts", comment(...lines)), [])
    }
    assert.deepStrictEqual(problemsIn("domain/a.ts", '// docs/a.md, "Page"'), [])
    assert.deepStrictEqual(problemsIn("infrastructure/a.lua", '-- docs/a.md, "Page"'), [])
    assert.deepStrictEqual(problemsIn("domain/a.ts", comment("See decision 0012.")), [])
  })

  it("fail with their line when the file, the heading or the decision is missing", () => {
    assert.deepStrictEqual(problemsIn("domain/a.ts", comment("Text.", "(docs/b.md)")), [
      "3 cites docs/b.md, which does not exist"
    ])
    assert.deepStrictEqual(problemsIn("domain/a.ts", comment('(docs/a.md, "Page", "no heading")')), [
      '2 cites "no heading", a heading that docs/a.md does not have'
    ])
    assert.deepStrictEqual(problemsIn("domain/a.ts", comment("See decision 0099.")), [
      "2 cites decision 0099, which does not exist"
    ])
    assert.deepStrictEqual(problemsIn("infrastructure/a.lua", "-- docs/b.md"), [
      "1 cites docs/b.md, which does not exist"
    ])
  })

  it("fail when they cite a document outside the repository", () => {
    for (const word of ["contract", "specification"]) {
      for (const line of [`(${word}, "v2")`, `(operations ${word}, "x")`, `(${word}: events)`, `${word}: events`]) {
        assert.strictEqual(problemsIn("domain/a.ts", comment(line)).length, 1, line)
      }
    }
  })

  it("are not checked in code", () => {
    assert.deepStrictEqual(
      problemsIn("domain/a.ts", 'const page = "docs/b.md"\nconst options = { contract: 1 }'),
      []
    )
    assert.deepStrictEqual(problemsIn("domain/a.ts", 'const url = "https://example.com" + "/docs/b.md"'), [])
  })
})

describe("links in Markdown", () => {
  it("pass when the file, the folder and the anchor exist", () => {
    const links =
      "[a](a.md) [b](a.md#post-v2verify) [c](#here) [d](decisions) [e](../docs/picture.png) [f](a.md#the-same-1)"
    assert.deepStrictEqual(problemsIn("docs/b.md", `# Here\n\n${links}\n\n[ref]: a.md#page\n`), [])
    assert.deepStrictEqual(problemsIn("docs/b.md", "[a](https://example.com/x#y) [b](mailto:a@example.com)"), [])
  })

  it("fail when the file or the anchor is missing", () => {
    assert.deepStrictEqual(problemsIn("docs/b.md", "\n[a](c.md)"), ["2 links to docs/c.md, which does not exist"])
    assert.deepStrictEqual(problemsIn("docs/b.md", "[a](a.md#no-heading)"), [
      "1 links to #no-heading, which docs/a.md does not have"
    ])
    assert.deepStrictEqual(problemsIn("docs/b.md", "[ref]: c.md"), ["1 links to docs/c.md, which does not exist"])
  })

  it("are not checked in code", () => {
    assert.deepStrictEqual(problemsIn("docs/b.md", "`[a](c.md)`\n\n```md\n[a](c.md)\n```\n"), [])
  })

  it("fail when the text cites a missing heading", () => {
    assert.deepStrictEqual(problemsIn("docs/b.md", 'See docs/a.md, "Nothing".'), [
      '1 cites "Nothing", a heading that docs/a.md does not have'
    ])
  })
})
