import { assert, describe, it } from "../../../support/it.ts"
import { Console, Effect, Exit, Scope } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { vi } from "vitest"
import { makeProgress, printJson, printTable } from "../../../../infrastructure/commands/cli/output.ts"

describe("a table", () => {
  it.effect("is aligned by visible columns: Thai vowels and tone marks take none", function* () {
    const console = yield* TestConsole.make
    const rows = [["ร้านน้ำ", "1"], ["Shop", "2"], ["", "3"]]
    yield* Effect.provideService(printTable(["name", "n"], rows), Console.Console, console)
    assert.deepStrictEqual(yield* console.logLines, ["name   n\nร้านน้ำ  1\nShop   2\n       3"])
  })

  it.effect("shows characters that a terminal obeys as escapes, and stays aligned", function* () {
    const console = yield* TestConsole.make
    const rows = [["\u001b[2J\u009b1m", "1"], ["two\nlines\u202e", "2"]]
    yield* Effect.provideService(printTable(["name", "n"], rows), Console.Console, console)
    assert.deepStrictEqual(yield* console.logLines, [
      ["name               n", "\\u001b[2J\\u009b1m  1", "two\\nlines\\u202e   2"].join("\n")
    ])
  })
})

describe("the progress of a command", () => {
  const given = Effect.acquireRelease(
    Effect.sync(() => {
      const { isTTY } = process.stderr
      const written: Array<string> = []
      process.stderr.isTTY = true
      const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
        written.push(String(text))
        return true
      })
      return { written, isTTY, spy }
    }),
    ({ isTTY, spy }) =>
      Effect.sync(() => {
        process.stderr.isTTY = isTTY
        spy.mockRestore()
      })
  )

  it.effect("is drawn on a terminal after a second, with a bar when the whole is known, and removed at the end", function* () {
    const { written } = yield* given
    const inner = yield* Scope.make()
    const { report } = yield* Effect.provideService(makeProgress, Scope.Scope, inner)
    yield* report("waiting")
    yield* TestClock.adjust("999 millis")
    assert.deepStrictEqual(written, [])
    yield* TestClock.adjust("1 millis")
    yield* report("copying the log", 1, 4)
    yield* TestClock.adjust("200 millis")
    yield* Scope.close(inner, Exit.void)
    assert.deepStrictEqual(written, [
      "\r\u001b[Kwaiting",
      "\r\u001b[K[######------------------]  25 %  copying the log",
      "\r\u001b[K"
    ])
  })
})

describe("a JSON document", () => {
  it.effect("holds the same value, without characters that a terminal obeys", function* () {
    const console = yield* TestConsole.make
    const value = { name: "\u001b[2J \u009b1m \u007f \u202e \u2028", "\u0085key": ["a\nb"] }
    yield* Effect.provideService(printJson(value), Console.Console, console)
    const [text] = yield* console.logLines
    assert.deepStrictEqual(JSON.parse(String(text)), value)
    assert.notMatch(String(text), /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028]/u)
  })
})
