import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { settings } from "../../infrastructure/settings.ts"

const docs = fileURLToPath(new URL("../../docs/", import.meta.url))
const text = readFileSync(join(docs, "receiving-callbacks.md"), "utf8")

/** What is shown under the name of a file. */
const shown = new Map(
  Array.from(
    text.matchAll(/^\[`(examples\/[^`]+)`\]\(([^)]+)\)\n\n```\w+\n([^]*?)^```$/gmu),
    ([, name = "", link = "", code = ""]) => {
      assert.strictEqual(link, name)
      return [name, code] as const
    }
  )
)

const examples = readdirSync(join(docs, "examples/receiving"), { recursive: true, encoding: "utf8" })
  .map((path) => `examples/receiving/${path.replaceAll("\\", "/")}`)
  .filter((path) => statSync(join(docs, path)).isFile())

describe("docs/receiving-callbacks.md", () => {
  it("shows every example, as it is", () => {
    assert.isAtLeast(examples.length, 5)
    assert.sameMembers([...shown.keys()], examples)
    for (const [name, code] of shown) assert.strictEqual(code, readFileSync(join(docs, name), "utf8"), name)
  })

  it("tells the schedule and the time limit that are in force when nobody sets them", () => {
    assert.include(text, `sent again ${settings.callbackRetrySchedule.default} after the attempt before`)
    assert.include(text, `nothing within ${settings.callbackTimeout.default}`)
  })

  it("has JSON that is JSON", () => {
    const bodies = Array.from(text.matchAll(/```json\n([^]*?)```/gu), ([, body = ""]) => JSON.parse(body))
    assert.deepStrictEqual(bodies.map(({ status }) => status), ["success", "not_found"])
  })

  it("names files that are there", () => {
    const root = fileURLToPath(new URL("../../", import.meta.url))
    for (const file of ["infrastructure/webhook/verify.ts", "application/webhook-signature.ts"]) {
      assert.include(text, file)
      assert.isTrue(statSync(join(root, file)).isFile())
    }
  })
})
