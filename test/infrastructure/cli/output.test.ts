import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { TestConsole } from "effect/testing"
import { printTable } from "../../../infrastructure/cli/output.ts"

describe("a table", () => {
  it.effect("is aligned by visible columns: Thai vowels and tone marks take none", () =>
    Effect.gen(function* () {
      const console = yield* TestConsole.make
      const rows = [["ร้านน้ำ", "1"], ["Shop", "2"], ["", "3"]]
      yield* Effect.provideService(printTable(["name", "n"], rows), Console.Console, console)
      assert.deepStrictEqual(yield* console.logLines, ["name   n\nร้านน้ำ  1\nShop   2\n       3"])
    }))
})
