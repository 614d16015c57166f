import { assert, describe, it } from "../../../../support/it.ts"
import { closeSync, openSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { cacheSizeOf } from "../../../../../infrastructure/adapters/stores/sqlite/cache-size.ts"
import { temporaryFolder } from "../../../../support/temporary-folder.ts"

describe("the cache of a writing connection", () => {
  it.effect("is a hundredth of the file, between 16 and 64 MB", function* () {
    const file = join(yield* temporaryFolder, "large.db")
    assert.strictEqual(cacheSizeOf(file), -16_384)
    closeSync(openSync(file, "w"))
    const cacheOf = (bytes: number) => {
      truncateSync(file, bytes)
      return cacheSizeOf(file)
    }
    assert.deepStrictEqual([0, 1_000_000_000, 4_096_000_000, 50_000_000_000].map(cacheOf), [
      -16_384,
      -16_384,
      -40_000,
      -65_536
    ])
  })
})
