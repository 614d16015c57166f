import { assert, describe, it } from "@effect/vitest"
import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { settings } from "../../infrastructure/platform/settings/settings.ts"
import { examplesIn, pageText, shownIn } from "./shown-examples.ts"

const text = pageText("receiving-callbacks.md")
const examples = examplesIn("examples/receiving")

describe("docs/receiving-callbacks.md", () => {
  it("shows every example unchanged", () => {
    assert.isAtLeast(examples.size, 5)
    assert.deepStrictEqual(Object.fromEntries(shownIn(text)), Object.fromEntries(examples))
  })

  it("states the default schedule and time limit", () => {
    const prose = text.replaceAll(/\n(?=\S)/gu, " ")
    assert.include(prose, `sent again ${settings.callbackRetrySchedule.default} after the attempt before`)
    assert.include(prose, `no status within ${settings.callbackTimeout.default}`)
  })

  it("has valid JSON", () => {
    const bodies = Array.from(text.matchAll(/```json\n([^]*?)```/gu), ([, body = ""]) => JSON.parse(body))
    assert.deepStrictEqual(bodies.map(({ status }) => status), ["success", "not_found"])
  })

  it("names existing files", () => {
    const root = fileURLToPath(new URL("../../", import.meta.url))
    for (const file of ["sdk/webhook/verify.ts", "sdk/webhook/signature.ts"]) {
      assert.include(text, file)
      assert.isTrue(statSync(join(root, file)).isFile())
    }
  })
})
