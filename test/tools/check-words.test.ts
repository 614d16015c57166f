import { assert, describe, it } from "@effect/vitest"
import { findWordProblems } from "../../tools/words/find-problems.ts"

const problemsIn = (text: string): ReadonlyArray<string> =>
  findWordProblems(new Map([["docs/a.md", text]])).map(({ line, reason }) => `${line} ${reason}`)

describe("the check of words", () => {
  it("names the line, the word and what to write instead", () => {
    assert.deepStrictEqual(problemsIn("The projector reads.\nWhoever waits is woken."), ['2 "Whoever": name the actor'])
  })

  it("accepts sentences that name their actor", () => {
    assert.deepStrictEqual(problemsIn("The worker enqueues the job. The caller receives the error."), [])
  })
})
