import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { findUnpinnedImages } from "../../tools/files/find-unpinned-images.ts"

/** Without the digests that a release has. */
const read = (file: string) =>
  readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").replaceAll(/@sha256:[0-9a-f]+/gu, "")

describe("images without a digest", () => {
  it("are found in both files, without stages and the own image", () => {
    const files = ["Dockerfile", "compose.yaml"].map((file) => [file, read(file)] as const)
    const found = findUnpinnedImages(new Map(files)).map(({ file, reason }) => [file, reason.split(":")[0]])
    assert.deepStrictEqual(found, [
      ["Dockerfile", "node"],
      ["Dockerfile", "node"],
      ["compose.yaml", "caddy"],
      ["compose.yaml", "eventstore/eventstore"],
      ["compose.yaml", "redis"]
    ])
  })

  it.each([
    [`FROM node:24@sha256:${"0".repeat(64)} AS a\nFROM a\nCOPY --from=a /x /x`, []],
    ["# comment\nFROM --platform=linux/amd64 node:24", [[2, "node:24 has no digest"]]],
    ["COPY --from=busybox:1 /x /x", [[1, "busybox:1 has no digest"]]],
    ["FROM node:24@sha256:short", [[1, "node:24@sha256:short has no digest"]]],
    [`    image: "redis:7"`, [[1, "redis:7 has no digest"]]],
    ["    image: sliptrail", []]
  ])("are found in %j", (text, expected) => {
    const found = findUnpinnedImages(new Map([["Dockerfile", text]]))
    assert.deepStrictEqual(found.map(({ line, reason }) => [line, reason]), expected)
  })

  it("are pinned and checked before each release", () => {
    const { scripts } = JSON.parse(read("package.json"))
    assert.strictEqual(scripts["check:images"], "node tools/check-images.ts")
    assert.include(read("RELEASING.md"), "npm run check:images")
  })
})
