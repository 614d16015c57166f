import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { deliveredEvents, givenEndedJobs } from "./given-jobs.ts"
import { run, runJson } from "../../../support/in-process.ts"

const typesOf = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)

/** The event texts of a trail without times and actors, and without the first line about the branch. */
const sentences = (stdout: string) =>
  stdout.split("\n").slice(1).map((line) => /^\S+ {2}(.+) {2}\([^()]+\)$/u.exec(line)?.[1])

describe("sliptrail trail show", () => {
  it.live("prints the events of a job and its callback", function* () {
    const { abandoned, env, host, receiver } = yield* givenEndedJobs
    yield* runJson(["callbacks", "redeliver", "--job", abandoned], env)
    const { code, stderr, stdout } = yield* run(["trail", "show", "--job", abandoned], env)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    const expected = [
      `Slip accepted for later verification; holds 1 unit of the quota; callback to ${receiver.url}`,
      /^Slip of bank 004 over 100\.00 baht, .*: sandbox answered in \d+ ms; charged 1 unit$/u,
      "Job succeeded with attempt 1: the slip is not a duplicate; charged 1 unit",
      `Callback to ${receiver.url} scheduled`,
      `Callback attempt 1 sent to ${host}`,
      /^Callback attempt 1 failed after \d+ ms: the receiver answered 503; next attempt due \d{4}-\S+\+07:00$/u,
      `Callback attempt 2 sent to ${host}`,
      /^Callback attempt 2 failed after \d+ ms: the receiver answered 503; no further attempt$/u,
      `Callback to ${host} abandoned after 2 attempts`,
      /^Callback redelivery requested, due \d{4}-\S+\+07:00; the retry schedule restarts$/u
    ]
    const texts = sentences(stdout)
    assert.lengthOf(texts, expected.length, stdout)
    for (const [index, expectedText] of expected.entries()) {
      if (typeof expectedText === "string") assert.strictEqual(texts[index], expectedText)
      else assert.match(texts[index] ?? "", expectedText)
    }
    assert.match(
      stdout.split("\n")[5] ?? "",
      new RegExp(`^\\d{4}-\\S+Z {2}.* {2}\\(system worker, job ${abandoned}\\)$`, "u")
    )
  })

  it.live("prints how jobs and callbacks ended", function* () {
    const { delivered, env, host, rejected, unknown } = yield* givenEndedJobs
    const last = (jobId: string) =>
      Effect.map(run(["trail", "show", "--job", jobId], env), ({ stdout }) => sentences(stdout).at(-1) ?? "")
    assert.match(
      yield* last(delivered),
      new RegExp(`^Callback delivered with attempt 1: ${host} answered 200 in \\d+ ms$`, "u")
    )
    assert.match(
      yield* last(rejected),
      /^Callback rejected with attempt 1: .* answered 410 in \d+ ms; no further attempt$/u
    )
    assert.strictEqual(
      yield* last(unknown),
      "Job ended without a verified slip after attempt 1: SLIP_NOT_FOUND; free of charge"
    )
    const { stdout } = yield* run(["trail", "show", "--job", unknown], env)
    assert.match(
      stdout,
      /Attempt 1 ended with SLIP_NOT_FOUND: the bank knows no such transfer; sandbox answered in \d+ ms; no further attempt/u
    )
    assert.include(stdout, "no callback")
  })

  it.live("prints the events of jobs and callbacks for their slip, verification and branch", function* () {
    const { branchId, delivered, env, slip, unknown } = yield* givenEndedJobs
    const trailTypes = (...flags: ReadonlyArray<string>) =>
      Effect.map(runJson(["trail", "show", ...flags], env), typesOf)
    assert.deepStrictEqual(yield* trailTypes("--job", delivered), deliveredEvents)
    assert.deepStrictEqual(yield* trailTypes("--verification", delivered), deliveredEvents)
    assert.deepStrictEqual(yield* trailTypes("--slip", `${slip.sendingBank}:${slip.transRef}`), deliveredEvents)
    const ofBranch: ReadonlyArray<{ readonly stream: string; readonly type: string }> = yield* runJson(
      ["trail", "show", "--branch", branchId],
      env
    )
    assert.strictEqual(ofBranch[0]?.type, "BranchCreated")
    assert.lengthOf(ofBranch.filter(({ type }) => type === "VerificationEnqueued"), 4)
    assert.lengthOf(ofBranch.filter(({ type }) => type === "SlipVerified"), 3)
    const ofCallback = ofBranch.filter(({ stream }) => stream === `callback-${delivered}`)
    assert.deepStrictEqual(typesOf(ofCallback), deliveredEvents.slice(3))
    assert.include(ofBranch.map(({ stream }) => stream), `job-${unknown}`)
  })

  it.live("begins with the names of the branch and its service", function* () {
    const { branchId, delivered, env, slip } = yield* givenEndedJobs
    const { serviceId } = yield* runJson(["branch", "show", branchId], env)
    const { name } = yield* runJson(["service", "plan", serviceId, "--name", "ร้าน\u0007กาแฟ"], env)
    assert.strictEqual(name, "ร้าน\u0007กาแฟ")
    const owner = `Branch Main (${branchId}) of service ร้าน\\u0007กาแฟ (${serviceId})`
    const subjects = [
      ["--slip", `${slip.sendingBank}:${slip.transRef}`],
      ["--job", delivered],
      ["--verification", delivered],
      ["--branch", branchId.toUpperCase()]
    ]
    for (const subject of subjects) {
      const { stdout } = yield* run(["trail", "show", ...subject], env)
      assert.deepStrictEqual(stdout.split("\n").filter((line) => line.startsWith("Branch ")), [owner])
      assert.strictEqual(stdout.split("\n")[0], owner)
    }
    const before = yield* run(["trail", "show", "--job", delivered], env)
    yield* holdDataFolder(env.DATA_DIR)
    assert.deepStrictEqual(yield* run(["trail", "show", "--job", delivered], env), before)
  })

  it.live("prints no secret, as text and as JSON", function* () {
    const { branchId, delivered, env, secrets, slip } = yield* givenEndedJobs
    for (const subject of [["--job", delivered], ["--branch", branchId]]) {
      for (const form of [[], ["--json"]]) {
        const { stdout } = yield* run(["trail", "show", ...subject, ...form], env)
        for (const secret of [...secrets, slip.payload, slip.transRef]) assert.notInclude(stdout, secret)
      }
    }
  })

  it.live("exits with 1 for an unknown job, and requires exactly one subject", function* () {
    const { delivered, env } = yield* givenEndedJobs
    const none = yield* run(["trail", "show", "--job", "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"], env)
    assert.deepInclude(none, { code: 1, stdout: "", stderr: "sliptrail: there are no events" })
    for (const command of [["show"], ["at", "2099-01-01"]]) {
      const slip = yield* run(["trail", ...command, "--slip", "04:013071152533apm07736"], env)
      assert.deepInclude(slip, { code: 1, stdout: "" })
      assert.match(slip.stderr, /^sliptrail: there are no events[^\n]*three digits[^\n]*upper case[^\n]*$/u)
    }
    for (const flags of [[], ["--job", delivered, "--verification", delivered]]) {
      const { code, stderr } = yield* run(["trail", "show", ...flags], env)
      assert.strictEqual(code, 2)
      assert.include(stderr, "--job ID")
    }
  })
})
