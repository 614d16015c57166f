import { assert, describe, it } from "@effect/vitest"
import { countTests, failuresOf } from "../../tools/counting/count.ts"

const file = (status: string, tests: ReadonlyArray<string>) => ({
  name: "a.test.ts",
  status,
  assertionResults: tests.map((status, n) => ({
    fullName: `group test ${n}`,
    status,
    failureMessages: status === "failed" ? ["expected 1 to equal 2"] : []
  }))
})

describe("counting tests", () => {
  it("sums passed, failed and skipped tests over all files", () => {
    const testResults = [file("passed", ["passed", "skipped", "todo"]), file("failed", ["passed", "failed"])]
    assert.deepStrictEqual(countTests({ testResults }), { passed: 2, failed: 1, skipped: 2 })
  })

  it("counts a file that could not be loaded as a failure", () => {
    assert.deepStrictEqual(countTests({ testResults: [file("failed", [])] }), { passed: 0, failed: 1, skipped: 0 })
    const report = { testResults: [file("failed", ["passed"])] }
    assert.deepStrictEqual(countTests(report), { passed: 1, failed: 1, skipped: 0 })
  })

  it("counts nothing in a run without tests", () => {
    assert.deepStrictEqual(countTests({ testResults: [] }), { passed: 0, failed: 0, skipped: 0 })
  })

  it("lists each failed test with its file and messages", () => {
    const testResults = [file("passed", ["passed"]), file("failed", ["passed", "failed"])]
    assert.deepStrictEqual(failuresOf({ testResults }), [
      { file: "a.test.ts", test: "group test 1", messages: ["expected 1 to equal 2"] }
    ])
  })

  it("lists a file that could not be loaded with the reason", () => {
    const testResults = [{ ...file("failed", []), message: "no such package" }]
    assert.deepStrictEqual(failuresOf({ testResults }), [
      { file: "a.test.ts", test: "a.test.ts", messages: ["no such package"] }
    ])
  })
})
