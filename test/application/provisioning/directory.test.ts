import { assert, describe, it } from "../../support/it.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { isCursor } from "../../../projections/engine/page.ts"
import { live, newService } from "../given-application.ts"

describe("the directory", () => {
  live("lists every service once, in pages, oldest first", function* () {
    const { services } = yield* Directory
    const created: Array<string> = []
    for (let count = 0; count < 5; count++) created.push((yield* newService()).id)

    const listed: Array<{ readonly id: string; readonly createdAt: string }> = []
    const sizes: Array<number> = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const page = yield* services({ cursor, limit: 2 })
      listed.push(...page.items)
      sizes.push(page.items.length)
      cursor = page.nextCursor
      assert.isTrue(cursor === null || isCursor(cursor))
    }

    assert.deepStrictEqual(sizes, [2, 2, 1])
    assert.sameMembers(listed.map(({ id }) => id), created)
    const times = listed.map(({ createdAt }) => createdAt)
    assert.deepStrictEqual(times, [...times].sort())
  })

  live("has no next page after a full last page or when it is empty", function* () {
    const { services } = yield* Directory
    assert.deepStrictEqual(yield* services({ limit: 1 }), { items: [], nextCursor: null })
    yield* newService()
    const page = yield* services({ limit: 1 })
    assert.lengthOf(page.items, 1)
    assert.isNull(page.nextCursor)
  })

  live("finds nothing when it is empty", function* () {
    const directory = yield* Directory
    assert.isUndefined(yield* directory.account("nothing"))
    assert.isUndefined(yield* directory.service("nothing"))
    assert.isUndefined(yield* directory.branch("nothing"))
    assert.deepStrictEqual(yield* directory.branchesOf("nothing"), [])
  })

  it.each(["", "1", ".a", "1.", "a.b", "-1.b", "1e3.b"])("rejects the cursor %o", (text) => {
    assert.isFalse(isCursor(text))
  })
})
