import { assert, describe, it } from "@effect/vitest"
import { findFileProblems, MAX_DECISION_WORDS, MAX_LINES } from "../../tools/files/find-problems.ts"

const problemsIn = (file: string, text: string): ReadonlyArray<string> =>
  findFileProblems(new Map([[file, text]])).map(({ line, reason }) => `${line} ${reason}`)

describe("files", () => {
  it("of source are at most as long as the limit", () => {
    assert.deepStrictEqual(problemsIn("domain/a.ts", "a\n".repeat(MAX_LINES)), [])
    assert.deepStrictEqual(problemsIn("domain/a.ts", "a\n".repeat(MAX_LINES + 1)), [
      "301 301 lines; the limit is 300"
    ])
    assert.deepStrictEqual(problemsIn("domain/a.ts", "a\n".repeat(MAX_LINES) + "without a line end").length, 1)
  })

  it("of data and prose may be longer", () => {
    assert.deepStrictEqual(problemsIn("test/fixtures/a.json", "1\n".repeat(1000)), [])
    assert.deepStrictEqual(problemsIn("README.md", "a\n".repeat(1000)), [])
  })

  it("are not index files", () => {
    assert.deepStrictEqual(problemsIn("domain/index.ts", ""), [
      "1 no index files: import from the file that declares the name"
    ])
  })

  it("have no cast that disables the type checker", () => {
    const cast = ["as", "unknown", "as"].join(" ")
    assert.strictEqual(problemsIn("domain/a.ts", `export const a = 1 ${cast} string`).length, 1)
    assert.deepStrictEqual(problemsIn("docs/a.md", `never write ${cast}`), [])
  })
})

describe("a hot path", () => {
  const problems = (comment: string) =>
    findFileProblems(
      new Map([["bench/http/http.ts", '  name: "http",\n'], ["domain/a.ts", `// a\n${comment}\nexport const a = 1\n`]])
    ).map(({ line, reason }) => `${line} ${reason.split(" ", 5).join(" ")}`)

  it("names a benchmark that exists, in the same comment", () => {
    const guard = (name: string) => `Guarded by \`npm run bench -- ${name}\`.`
    assert.deepStrictEqual(problems(`// Hot path: fast. ${guard("http")}`), [])
    assert.deepStrictEqual(problems(`/**\n * Hot path: fast,\n * because it is.\n * ${guard("http")}\n */`), [])
    assert.deepStrictEqual(problems(`// Hot path: fast. ${guard("other")}`), ["2 a hot path names no"])
    assert.deepStrictEqual(problems(`// Hot path: fast.\nconst b = 1 // ${guard("http")}`), ["2 a hot path names no"])
  })
})

describe("decisions", () => {
  const decision = (words: number, ...parts: ReadonlyArray<string>): string =>
    ["# 0001. Title", ...parts.map((part) => `## ${part}`), "word ".repeat(words)].join("\n")

  it("say context, decision and consequences in few words", () => {
    const problems = (text: string) => problemsIn("docs/decisions/0001-title.md", text)
    const parts = ["Context", "Decision", "Consequences"]
    assert.deepStrictEqual(problems(decision(MAX_DECISION_WORDS - 5, ...parts)), [])
    assert.deepStrictEqual(problems(decision(MAX_DECISION_WORDS - 4, ...parts)), ["1 501 words; the limit is 500"])
    assert.deepStrictEqual(
      problems(decision(1, "Context", "Decision", "Options that were not taken", "Consequences")),
      []
    )
    assert.lengthOf(problems(decision(1, "Decision", "Consequences")), 1)
    assert.lengthOf(problems(decision(1, ...parts, "Result")), 1)
    assert.lengthOf(problems(decision(1, ...parts).replace("0001", "0002")), 1)
    assert.deepStrictEqual(problemsIn("docs/other/0001-title.md", "text"), [])
  })
})

describe("download addresses", () => {
  const host = ["registry", "example", "org"].join(".")

  it("are refused in lockfiles, unlike links inside the project", () => {
    const problems = problemsIn("package-lock.json", `{\n"resolved": "https://mirror.example/a.tgz"\n}`)
    assert.deepStrictEqual(problems, ["2 holds a download address"])
    assert.deepStrictEqual(problemsIn("package-lock.json", `"resolved": "packages/a",`), [])
    assert.deepStrictEqual(problemsIn("package-lock.json", `"url": "https://example.com/funding"`), [])
  })

  it("are refused when a registry is named or configured", () => {
    assert.deepStrictEqual(problemsIn(".ci/run", `curl https://${host}/a`), ["1 names a package registry"])
    for (const line of ["registry=https://mirror.example/", "@scope:registry = x", "//mirror.example/:_authToken=x"]) {
      assert.deepStrictEqual(problemsIn(".npmrc", `fund=false\n${line}`), [
        "2 chooses a package registry, which is up to the machine"
      ])
    }
    assert.deepStrictEqual(problemsIn(".npmrc", "omit-lockfile-registry-resolved=true"), [])
  })
})
