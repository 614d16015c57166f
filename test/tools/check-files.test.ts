import { assert, describe, it } from "@effect/vitest"
import { judgeFiles, MAX_LINES } from "../../tools/files/judge.ts"

const complaintsAbout = (file: string, text: string): ReadonlyArray<string> =>
  judgeFiles(new Map([[file, text]])).map(({ line, reason }) => `${line} ${reason}`)

describe("files", () => {
  it("of source may be as long as the limit and no longer", () => {
    assert.deepStrictEqual(complaintsAbout("domain/a.ts", "a\n".repeat(MAX_LINES)), [])
    assert.deepStrictEqual(complaintsAbout("domain/a.ts", "a\n".repeat(MAX_LINES + 1)), [
      "301 301 lines; the limit is 300"
    ])
    assert.deepStrictEqual(complaintsAbout("domain/a.ts", "a\n".repeat(MAX_LINES) + "without a line end").length, 1)
  })

  it("of data and prose may be longer", () => {
    assert.deepStrictEqual(complaintsAbout("test/fixtures/a.json", "1\n".repeat(1000)), [])
    assert.deepStrictEqual(complaintsAbout("README.md", "a\n".repeat(1000)), [])
  })

  it("are no barrels", () => {
    assert.deepStrictEqual(complaintsAbout("domain/index.ts", ""), [
      "1 no index files: import from the file that declares the name"
    ])
  })

  it("do not switch the type checker off by a cast", () => {
    const cast = ["as", "unknown", "as"].join(" ")
    assert.strictEqual(complaintsAbout("domain/a.ts", `export const a = 1 ${cast} string`).length, 1)
    assert.deepStrictEqual(complaintsAbout("docs/a.md", `never write ${cast}`), [])
  })
})

describe("download addresses", () => {
  const host = ["registry", "example", "org"].join(".")

  it("are refused in lockfiles, and links inside the project are not", () => {
    const complaints = complaintsAbout("package-lock.json", `{\n"resolved": "https://mirror.example/a.tgz"\n}`)
    assert.deepStrictEqual(complaints, ["2 holds a download address"])
    assert.deepStrictEqual(complaintsAbout("package-lock.json", `"resolved": "packages/a",`), [])
    assert.deepStrictEqual(complaintsAbout("package-lock.json", `"url": "https://example.com/funding"`), [])
  })

  it("are refused where a registry is named or chosen", () => {
    assert.deepStrictEqual(complaintsAbout(".ci/run", `curl https://${host}/a`), ["1 names a package registry"])
    for (const line of ["registry=https://mirror.example/", "@scope:registry = x", "//mirror.example/:_authToken=x"]) {
      assert.deepStrictEqual(complaintsAbout(".npmrc", `fund=false\n${line}`), [
        "2 chooses a package registry, which is up to the machine"
      ])
    }
    assert.deepStrictEqual(complaintsAbout(".npmrc", "omit-lockfile-registry-resolved=true"), [])
  })
})
