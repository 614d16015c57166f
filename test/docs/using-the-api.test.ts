import { assert, describe, it } from "@effect/vitest"
import { routes } from "../../sdk/client/api.ts"
import { examplesIn, pageText, shownIn } from "./shown-examples.ts"
import { v2Failures } from "../../infrastructure/web/api/failures.ts"
import { namesOf } from "../../infrastructure/platform/settings/setting.ts"
import { everySetting } from "../../infrastructure/platform/settings/settings.ts"

const text = pageText("using-the-api.md")
const examples = examplesIn("examples/using")

describe("docs/using-the-api.md", () => {
  it("shows every example unchanged, in every language", () => {
    assert.deepStrictEqual(Object.fromEntries(shownIn(text)), Object.fromEntries(examples))
    for (
      const [language, suffix] of [["curl", "sh"], ["typescript", "ts"], ["php", "php"], ["python", "py"]] as const
    ) {
      for (const topic of ["account", "history", "later", "picture", "url", "verify"]) {
        assert.isTrue(examples.has(`examples/using/${language}/${topic}.${suffix}`), `${topic} in ${language}`)
      }
    }
  })

  it("names existing codes, settings and paths", () => {
    const own = ["NETWORK_ERROR", "TIMEOUT", "UNEXPECTED_ANSWER", "BASE_URL", "API_KEY"]
    const settings = everySetting.flatMap(namesOf)
    const prose = text.split("```").filter((_, index) => index % 2 === 0).join("")
    const words = new Set(prose.match(/\b[A-Z]+(?:_[A-Z]+)+\b/gu))
    assert.isAtLeast(words.size, 8)
    for (const word of words) assert.include([...Object.keys(v2Failures), ...own, ...settings], word)
    const paths = new Set(text.match(/\/v2\/[\w/-]*\w/gu))
    const declared = Object.values(routes).map(({ path }) => path.replace(/\/:.*$/u, ""))
    for (const path of paths) assert.include(declared, path)
  })
})
