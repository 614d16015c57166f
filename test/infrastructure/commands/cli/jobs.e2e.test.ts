import { assert, describe, it } from "../../../support/it.ts"
import { slipTime } from "../../../../domain/time.ts"
import { TIME } from "../../../../infrastructure/commands/cli/flags.ts"
import { givenEndedJobs } from "./given-jobs.ts"
import { run, runJson } from "../../../support/in-process.ts"

const UNKNOWN = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"

const idsOf = (items: ReadonlyArray<{ readonly jobId: string }>) => items.map(({ jobId }) => jobId)

describe("sliptrail jobs", () => {
  it.live("lists jobs by state and branch, by the time at which they entered the state, newest first", function* () {
    const { abandoned, branchId, delivered, env, rejected, unknown } = yield* givenEndedJobs
    const successes = yield* runJson(["jobs", "list", "--state", "success"], env)
    assert.deepStrictEqual(idsOf(successes), [abandoned, rejected, delivered])
    assert.deepInclude(successes[0], { branchId, state: "success", attempts: 1, nextAttemptAt: null })
    const ofBranch = ["jobs", "list", "--state", "not_found", "--branch", branchId.toUpperCase()]
    assert.deepStrictEqual(idsOf(yield* runJson(ofBranch, env)), [unknown])

    const { code, stdout } = yield* run(["jobs", "list"], env)
    assert.strictEqual(code, 0)
    const lines = stdout.split("\n")
    assert.match(lines[0] ?? "", /^job +branch +state +accepted +attempts +next attempt$/u)
    const newestFirst = [unknown, abandoned, rejected, delivered]
    assert.deepStrictEqual(lines.slice(1).map((line) => line.slice(0, 36)), newestFirst)
    const oldestFirst = yield* runJson(["jobs", "list", "--order", "oldest"], env)
    assert.deepStrictEqual(idsOf(oldestFirst), newestFirst.toReversed())
  })

  it.live("reports that there are more jobs than the limit, or none", function* () {
    const { abandoned, env, unknown } = yield* givenEndedJobs
    const first = yield* run(["jobs", "list", "--limit", "2", "--json"], env)
    assert.deepStrictEqual(idsOf(JSON.parse(first.stdout)), [unknown, abandoned])
    assert.include(first.stderr, "--limit")
    for (const flags of [["--state", "pending"], ["--branch", UNKNOWN], ["--since", "2099-01-01"]]) {
      const none = yield* run(["jobs", "list", ...flags, "--json"], env)
      assert.deepInclude(none, { code: 0, stdout: "[]", stderr: "There are no such jobs" })
    }
  })

  it.live("reads a time without an offset as Bangkok time", function* () {
    const { env } = yield* givenEndedJobs
    const since = (at: number) => runJson(["jobs", "list", "--since", slipTime(at).slice(0, 19).replace("T", " ")], env)
    assert.lengthOf(yield* since(Date.now() - 3_600_000), 4)
    assert.lengthOf(yield* since(Date.now() + 60_000), 0)
    const { stderr } = yield* run(["jobs", "list", "--since", "yesterday"], env)
    assert.include(stderr, `--since: Expected ${TIME}, got "yesterday"`)
  })

  it.live("refuses invalid use with one line", function* () {
    const wrong = [
      [["--state", "lost"], "state"],
      [["--limit", "0"], "--limit"],
      [["--branch", "x"], "--branch"],
      [["--since", "yesterday"], "--since"]
    ] as const
    for (const [flags, message] of wrong) {
      const { code, stderr, stdout } = yield* run(["jobs", "list", ...flags], { DATA_DIR: "nowhere" })
      assert.deepStrictEqual({ flags, code, stdout }, { flags, code: 2, stdout: "" })
      assert.match(stderr, /^sliptrail: [^\n]+$/u)
      assert.include(stderr, message)
    }
  })
})
