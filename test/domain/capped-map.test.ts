import { assert, describe, it } from "@effect/vitest"
import { CappedMap } from "../../domain/capped-map.ts"

describe("a capped map", () => {
  it("removes the entry that was set the longest ago", () => {
    const map = new CappedMap<string, number>(2)
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4)
    assert.deepStrictEqual([...map], [["a", 3], ["c", 4]])
  })

  it("keeps every entry up to its capacity", () => {
    const map = new CappedMap<string, number>(2)
    map.set("a", 1).set("b", 2).set("b", 3)
    assert.deepStrictEqual([...map], [["a", 1], ["b", 3]])
  })
})
