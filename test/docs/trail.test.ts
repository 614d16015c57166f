import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { csvHeader } from "../../application/trail/export-lines.ts"
import { everyType } from "../support/every-event.ts"

const page = readFileSync(new URL("../../docs/trail.md", import.meta.url), "utf8")

describe("docs/trail.md", () => {
  it("explains every column of the CSV", () => {
    for (const column of csvHeader.trim().split(",")) {
      assert.match(page, new RegExp(`^\\|.*\`${column}\`.*\\| `, "mu"), column)
    }
  })

  it("names every event type", () => {
    for (const name of everyType) assert.include(page, `\`${name}\``)
  })
})
