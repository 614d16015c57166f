import { assert, describe, it } from "@effect/vitest"
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { fixtureFolder } from "../infrastructure/adapters/pictures/fixtures.ts"
import { measureRecall } from "../../bench/recall.ts"

describe("measuring recall", () => {
  it("counts slips that are read, missed and misread", async () => {
    const folder = await mkdtemp(join(tmpdir(), "recall-"))
    try {
      await cp(fileURLToPath(fixtureFolder), folder, { recursive: true })
      const { items } = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"))
      const wanted = ["jpeg-q50-70-01.jpg", "gif-256-01.gif", "webp-lossy-01.webp", "neg-no-qr-02.jpg"]
      const some = items.filter(({ file }: { readonly file: string }) => wanted.includes(file))
      some.find(({ file }: { readonly file: string }) => file === "gif-256-01.gif").class = "hard-gif"
      some.find(({ file }: { readonly file: string }) => file === "webp-lossy-01.webp").expected = "another"
      some.push({ file: "png-alpha-01.png", class: "neg-none", expected: null })
      await writeFile(join(folder, "manifest.json"), JSON.stringify({ items: some }))

      const { medianMillis, ...counted } = await measureRecall("native", folder)
      assert.deepStrictEqual(counted, { ordinary: 0.5, hard: 1, all: 2 / 3, negativesRead: 1, wrong: 1 })
      assert.isAbove(medianMillis, 0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
