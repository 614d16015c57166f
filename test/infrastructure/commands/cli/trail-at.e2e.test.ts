import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { givenEndedJobs } from "./given-jobs.ts"
import { run, runJson } from "../../../support/in-process.ts"

interface EventView {
  readonly type: string
  readonly at: string
  readonly data: { readonly at?: string }
}

const UNKNOWN_ID = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"

/** A moment in Bangkok time, to the second, without an offset. */
const inBangkok = (at: string): string =>
  new Date(Date.parse(at) + 7 * 3_600_000).toISOString().slice(0, 19).replace("T", " ")

const given = Effect.gen(function* () {
  const jobs = yield* givenEndedJobs
  const { delivered, env } = jobs
  const events: ReadonlyArray<EventView> = yield* runJson(["trail", "show", "--job", delivered], env)
  const find = (type: string) => events.find((event) => event.type === type)
  return {
    ...jobs,
    /** The time in an event's data, which is slightly before its time in the log. */
    timeOf: (type: string): string => find(type)?.data.at ?? "",
    momentOf: (type: string): string => find(type)?.at ?? ""
  }
})

describe("sliptrail trail at", () => {
  it.live("prints the state of a job and its callback as text and as JSON", function* () {
    const { branchId, delivered, env, momentOf, receiver, timeOf } = yield* given
    const at = momentOf("CallbackDelivered")
    const deliveredAt = timeOf("CallbackDelivered")
    const { code, stderr, stdout } = yield* run(["trail", "at", at, "--job", delivered], env)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    const lines = stdout.split("\n")
    assert.match(lines[0] ?? "", /^State at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?\+07:00 \(\S+Z\):$/u)
    assert.deepStrictEqual(lines.slice(1).map((line) => line.split(/ {2,}/u)), [
      ["job", delivered],
      ["branch", branchId],
      ["accepted", timeOf("VerificationEnqueued")],
      ["status", `success, not a duplicate, since ${timeOf("JobSucceeded")}`],
      ["attempts", "1"],
      ["quota", "charged 1 unit"],
      ["callback", `delivered at ${deliveredAt}, sent once, last answer 200, to ${receiver.url}`]
    ])
    const json = yield* runJson(["trail", "at", at, "--job", delivered.toUpperCase()], env)
    assert.deepInclude(json, { at, kind: "job", jobId: delivered, status: "success", attempts: 1 })
    assert.deepInclude(json.callback, { state: "delivered", deliveredAt, lastStatus: 200, url: receiver.url })

    const accepted = yield* runJson(["trail", "at", momentOf("VerificationEnqueued"), "--job", delivered], env)
    assert.deepInclude(accepted, { status: "pending", attempts: 0, charged: true, endedAt: null })
  })

  it.live("prints the state of a slip, a verification and a branch", function* () {
    const { branchId, delivered, env, momentOf, receiver, slip, timeOf, unknown } = yield* given
    const stateText = (...flags: ReadonlyArray<string>) =>
      Effect.map(run(["trail", "at", "2099-01-01", ...flags], env), ({ stdout }) => stdout)
    const ofSlip = yield* stateText("--slip", `${slip.sendingBank}:${slip.transRef}`)
    assert.include(
      ofSlip,
      `first verified  ${timeOf("SlipVerified")} by branch ${branchId}, verification ${delivered}`
    )
    assert.match(ofSlip, /^slip +100\.00 baht, transferred \S+\+07:00 from bank 004$/mu)
    assert.match(ofSlip, /^bank +answered through sandbox in \d+ ms$/mu)
    assert.match(ofSlip, new RegExp(`^verified +once, by branch ${branchId}$`, "mu"))
    assert.match(ofSlip, /^charged +1 unit$/mu)
    const verdict = `not a duplicate, by branch ${branchId}, verification ${delivered}, charged 1 unit`
    assert.match(ofSlip, new RegExp(`^verdict +${timeOf("SlipVerified")}: ${verdict}$`, "mu"))
    assert.match(ofSlip, new RegExp(`^job +${delivered}$`, "mu"))
    assert.match(ofSlip, new RegExp(`^status +success, not a duplicate, since ${timeOf("JobSucceeded")}$`, "mu"))
    const acknowledged = `delivered at ${timeOf("CallbackDelivered")}, sent once, last answer 200`
    assert.match(ofSlip, new RegExp(`^callback +${acknowledged}, to ${receiver.url}$`, "mu"))

    const verification = yield* stateText("--verification", delivered)
    assert.match(verification, /^verdict +not a duplicate, at \S+Z$/mu)
    assert.match(verification, /^status +success/mu)
    assert.match(
      yield* stateText("--verification", unknown),
      /^last failure +SLIP_NOT_FOUND at \S+Z: the bank knows no such transfer$/mu
    )

    const branch = yield* stateText("--branch", branchId)
    assert.match(branch, /^state +active$/mu)
    assert.match(branch, /^API key +issued \S+Z$/mu)
    assert.match(branch, /^quota +0 used of unlimited in 2099-01$/mu)
    const then = yield* run(["trail", "at", momentOf("CallbackDelivered"), "--branch", branchId], env)
    assert.match(then.stdout, /^quota +1 used of unlimited in \d{4}-\d\d$/mu)
  })

  it.live("reads a time without an offset as Bangkok time, and a day as its end", function* () {
    const { branchId, env, momentOf } = yield* given
    // A full second after the branch was created.
    const at = new Date(Date.parse(momentOf("CallbackDelivered")) + 1_000).toISOString()
    const clock = inBangkok(at)
    const exact = `${at.slice(0, 19)}.000Z`
    const atClock = yield* run(["trail", "at", clock, "--branch", branchId], env)
    assert.include(
      atClock.stdout,
      `State at ${clock.replace(" ", "T")}+07:00, Bangkok time (${exact}):`
    )
    const between = yield* run(["trail", "at", `${clock}.25`, "--branch", branchId], env)
    assert.include(between.stdout, `State at ${clock.replace(" ", "T")}.250+07:00, Bangkok time`)
    const day = clock.slice(0, 10)
    const json = yield* runJson(["trail", "at", day, "--branch", branchId], env)
    assert.strictEqual(json.at, new Date(Date.parse(`${day}T23:59:59.999+07:00`)).toISOString())
  })

  it.live("exits with 1 when there are no events up to that time, or no events", function* () {
    const { delivered, env, momentOf } = yield* given
    const early = yield* run(["trail", "at", "2020-01-01", "--job", delivered], env)
    assert.deepStrictEqual(early, {
      code: 1,
      stdout: "",
      stderr: "sliptrail: there were no events yet at that time: the first event is of "
        + momentOf("VerificationEnqueued")
    })
    const never = yield* run(["trail", "at", "2099-01-01", "--job", UNKNOWN_ID], env)
    assert.deepStrictEqual(never, {
      code: 1,
      stdout: "",
      stderr: "sliptrail: there are no events, at that time or later"
    })
  })

  it.live("explains an invalid time or subject", function* () {
    for (const time of ["yesterday", "2026-02-30", "15:45"]) {
      const { code, stderr } = yield* run(["trail", "at", time, "--job", UNKNOWN_ID])
      assert.strictEqual(code, 2)
      assert.include(stderr, `"${time}" is not a time`)
    }
    const none = yield* run(["trail", "at", "2026-11-21"])
    assert.strictEqual(none.code, 2)
    assert.include(none.stderr, "give exactly one of --job ID")
    const wrong = yield* run(["trail", "at", "2026-11-21", "--slip", "004"])
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.stderr, "--slip: Expected BANK:TRANSREF")
  })
})
