import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { areAllNeeded, packageOf, pathOf, programs } from "./programs.ts"
import { reportOf } from "./programs-report.ts"

describe("the programs that tests start", () => {
  it("have a package and a name each", () => {
    assert.isAtLeast(programs.length, 6)
    for (const program of programs) {
      assert.match(program.package, /^[a-z0-9.+-]+$/u)
      assert.isNotEmpty(program.names)
    }
    assert.strictEqual(packageOf("go"), "golang-go")
    assert.throws(() => packageOf("no-such-program"), "programs.txt does not list no-such-program")
  })

  it("are what .ci/run installs, and a missing one is a failure there", () => {
    const steps = readFileSync(new URL("../../.ci/steps.sh", import.meta.url), "utf8")
    assert.include(steps, "done < test/support/programs.txt")
    assert.include(steps, "export CI=true")
  })

  it("are searched in the folders of PATH, by each of their names", () => {
    const path = process.env["PATH"]
    process.env["PATH"] = "/no/such/folder"
    assert.isUndefined(pathOf("chromium"))
    process.env["PATH"] = path
  })

  it.each([
    [undefined, false],
    ["", false],
    ["false", false],
    ["0", false],
    ["true", true],
    ["TRUE", true],
    ["1", true]
  ])("are all needed with CI=%s: %s", (ci, expected) => {
    assert.strictEqual(areAllNeeded(ci), expected)
  })
})

describe("the report of skipped tests", () => {
  it("says how many tests did not run, which program each needs, and the command that installs them", () => {
    const report = reportOf([
      { file: "test/b.test.ts", program: "redis-server" },
      { file: "test/a.test.ts", program: "php" },
      { file: "test/a.test.ts", program: "redis-server" },
      { file: "test/b.test.ts", program: "redis-server" }
    ])

    assert.strictEqual(
      report,
      `4 tests did not run, because programs are missing:
  php: 1 test
    test/a.test.ts: 1
  redis-server: 3 tests
    test/a.test.ts: 1
    test/b.test.ts: 2
To run them: apt-get install php-cli redis-server`
    )
  })

  it("is absent when nothing was skipped", () => {
    assert.isUndefined(reportOf([]))
  })
})
