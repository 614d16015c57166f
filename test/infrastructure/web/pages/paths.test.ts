import { assert, describe, it } from "@effect/vitest"
import { matchPath, ownPath, partsOf } from "../../../../infrastructure/web/pages/paths.ts"

describe("the path of a page", () => {
  it("matches exactly, and gives its variable parts", () => {
    const match = (path: string) => matchPath("services/:/edit", partsOf(path))
    assert.deepStrictEqual(match("/console/services/S-1/edit"), ["S-1"])
    for (const path of ["/console/SERVICES/S-1/edit", "/console/services/S-1/Edit", "/console/services/S-1"]) {
      assert.isUndefined(match(path), path)
    }
  })

  it("of a redirect stays below its base", () => {
    const own = ownPath("/app")
    assert.strictEqual(own("/app/settings?tab=1"), "/app/settings?tab=1")
    for (const path of [null, "/other", "//evil.example", "/app//evil.example", "/app/../console", "/app\\evil"]) {
      assert.strictEqual(own(path), "/app", String(path))
    }
  })
})
