import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { run, runJson } from "../../../support/in-process.ts"
import { type Row, rowsOf } from "../../../support/csv.ts"
import { holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { givenEndedJobs } from "./given-jobs.ts"

interface Line {
  readonly position: string
  readonly type: string
  readonly data: { readonly [field: string]: unknown }
  readonly metadata: { readonly correlationId: string }
  readonly export?: string
  readonly masked?: Row
}

const linesOf = (text: string): ReadonlyArray<Line> => text.trimEnd().split("\n").map((line) => JSON.parse(line))

/** The data folder of a stopped service, and a function that exports it to a file. */
const givenExports = Effect.gen(function* () {
  const given = yield* givenEndedJobs
  const folder = yield* temporaryFolder
  const exported = Effect.fnUntraced(function* (name: string, ...flags: ReadonlyArray<string>) {
    const out = join(folder, name)
    const format = name.endsWith(".csv") ? "csv" : "ndjson"
    const { code, stderr } = yield* run(["trail", "export", "--format", format, ...flags, "--out", out], given.env)
    assert.strictEqual(code, 0, stderr)
    return readFileSync(out, "utf8")
  })
  return { ...given, exported, folder, ofSlip: ["--slip", `${given.slip.sendingBank}:${given.slip.transRef}`] }
})

interface Party {
  readonly account: { readonly name: { readonly th: string }; readonly bank: { readonly account: string } }
}

/** The sender and receiver of the disclosed transfer in an export. */
const transferIn = (text: string) => {
  const [sender, receiver] = ["sender", "receiver"].map((party): Party["account"] => {
    const [line] = linesOf(text).filter(({ type }) => type === "SlipVerified")
    assert.isDefined(line)
    return (line.data["transfer"] as { readonly [name: string]: Party })[party]?.account ?? assert.fail(party)
  })
  assert.isDefined(sender)
  assert.isDefined(receiver)
  return { receiver, sender }
}

const verified = (csv: string): Row => rowsOf(csv).find(({ type }) => type === "SlipVerified") ?? {}

describe("sliptrail trail export of one subject", () => {
  it.live("contains exactly the events of trail show, as in the whole log", function* () {
    const { delivered, env, exported, ofSlip, unknown } = yield* givenExports
    // Brings the read models up to date. From then on exports are not recorded, and leave the log as it is.
    yield* run(["trail", "show", ...ofSlip], env)
    yield* holdDataFolder(env.DATA_DIR)
    const whole = new Set((yield* exported("whole.ndjson")).trimEnd().split("\n"))
    const requestId = linesOf(yield* exported("request-of.ndjson", "--job", delivered))[0]?.metadata.correlationId
      ?? ""
    const subjects = [ofSlip, ["--job", delivered], ["--verification", unknown], ["--request", requestId]]
    for (const [index, subject] of subjects.entries()) {
      const events: ReadonlyArray<{ readonly position: string }> = yield* runJson(["trail", "show", ...subject], env)
      const lines = linesOf(yield* exported(`${index}.ndjson`, ...subject))
      assert.deepStrictEqual(lines.map(({ position }) => position), events.map(({ position }) => position))
      assert.isAbove(lines.length, 1)
      for (const { export: _, ...line } of lines) assert.isTrue(whole.has(JSON.stringify(line)))
      const rows = rowsOf(yield* exported(`${index}.csv`, ...subject))
      assert.deepStrictEqual(rows.map(({ position }) => position), events.map(({ position }) => position))
    }
  })

  it.live("filters by time, and accepts at most one known subject", function* () {
    const { branchId, delivered, env, exported, ofSlip } = yield* givenExports
    assert.strictEqual(yield* exported("later.ndjson", ...ofSlip, "--from", "2999-01-01"), "")
    assert.isAbove(
      (yield* exported("all.ndjson", ...ofSlip, "--from", "2020-01-01", "--to", "2999-01-01")).length,
      1_000
    )
    const failed = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
      const { code, stderr } = yield* run(["trail", "export", ...flags], env)
      return { code, stderr }
    })
    assert.deepStrictEqual(yield* failed("--job", delivered, "--branch", branchId), {
      code: 2,
      stderr: "sliptrail: Give at most one of job, slip, verification, branch and request"
    })
    assert.deepStrictEqual(yield* failed("--slip", "004:UNKNOWN0000000000001"), {
      code: 1,
      stderr: "sliptrail: there are no events"
    })
    assert.deepInclude(yield* failed("--request", "some-request", "--reveal"), { code: 2 })
  })

  it.live("contains the records of access to the data of a branch", function* () {
    const { branchId, env, exported } = yield* givenExports
    assert.strictEqual((yield* run(["trail", "show", "--branch", branchId, "--reveal"], env)).code, 0)
    const lines = linesOf(yield* exported("branch.ndjson", "--branch", branchId))
    assert.lengthOf(lines.filter(({ type }) => type === "PersonalDataRevealed"), 1)
  })

  it.live("shows the data of the subject only, and records the access once", function* () {
    const { env, exported, ofSlip, slip } = yield* givenExports
    const text = yield* exported("dispute.ndjson", ...ofSlip, "--reveal")
    assert.include(text, slip.transRef)
    const [disclosure, ...more] = linesOf(text).filter(({ type }) => type === "PersonalDataRevealed")
    assert.lengthOf(more, 0)
    assert.deepInclude(disclosure?.data, { branchId: null, command: "trail export", from: null, to: null })
    assert.nestedInclude(disclosure?.data, { "subject.kind": "slip" })
    assert.notInclude(JSON.stringify(disclosure), slip.transRef)
    assert.strictEqual(yield* exported("dispute.ndjson", ...ofSlip, "--reveal"), text)
    const trail: ReadonlyArray<Line> = yield* runJson(["trail", "show", ...ofSlip], env)
    assert.lengthOf(trail.filter(({ type }) => type === "PersonalDataRevealed"), 1)
  })
})

describe("sender and receiver in an export", () => {
  it.live("are masked in a CSV, and complete with --reveal", function* () {
    const { delivered, exported } = yield* givenExports
    const { receiver, sender } = transferIn(yield* exported("clear.ndjson", "--job", delivered, "--reveal"))
    const full = verified(yield* exported("clear.csv", "--job", delivered, "--reveal"))
    assert.deepInclude(full, {
      senderName: sender.name.th,
      senderAccount: sender.bank.account,
      receiverName: receiver.name.th,
      receiverAccount: receiver.bank.account,
      export: `job ${delivered}; revealed`
    })
    for (const flags of [["--job", delivered], []]) {
      const masked = verified(yield* exported(`masked-${flags.length}.csv`, ...flags))
      assert.strictEqual(masked["senderBank"], full["senderBank"])
      assert.isNotEmpty(masked["senderBank"])
      assert.match(masked["senderName"] ?? "", /^(\S\p{M}*\*{3} ?)+$/u)
      assert.match(masked["receiverName"] ?? "", /^(\S\p{M}*\*{3} ?)+$/u)
      assert.strictEqual(masked["senderAccount"], sender.bank.account)
      assert.strictEqual(masked["export"], flags.length === 0 ? "whole log; masked" : `job ${delivered}; masked`)
    }
  })

  it.live("are added to sealed JSON lines with --masked, which excludes --reveal", function* () {
    const { env, exported, ofSlip } = yield* givenExports
    const csv = verified(yield* exported("one.csv", ...ofSlip))
    const [line] = linesOf(yield* exported("one.ndjson", ...ofSlip, "--masked")).filter(({ type }) =>
      type === "SlipVerified"
    )
    const names = ["senderBank", "senderName", "senderAccount", "receiverBank", "receiverName", "receiverAccount"]
    assert.deepStrictEqual(line?.masked, Object.fromEntries(names.map((name) => [name, csv[name] ?? ""])))
    assert.hasAllKeys(line?.data["transfer"], ["k", "n", "c"])
    for (const flag of ["--reveal", "--format=csv"]) {
      assert.strictEqual((yield* run(["trail", "export", "--masked", flag], env)).code, 2)
    }
  })

  it.live("are empty when the key was destroyed", function* () {
    const { env, exported, ofSlip, slip } = yield* givenExports
    const forgotten = yield* run(["trail", "forget", "--slip", `${slip.sendingBank}:${slip.transRef}`], env)
    assert.strictEqual(forgotten.code, 0, forgotten.stderr)
    for (const flags of [["--reveal"], []]) {
      const row = verified(yield* exported(`forgotten-${flags.length}.csv`, ...ofSlip, ...flags))
      assert.deepInclude(row, { senderName: "forgotten", senderAccount: "forgotten", receiverName: "forgotten" })
    }
    // Showing erased data is not a disclosure.
    const trail: ReadonlyArray<Line> = yield* runJson(["trail", "show", ...ofSlip], env)
    assert.lengthOf(trail.filter(({ type }) => type === "PersonalDataRevealed"), 0)
  })

  it.live("are empty without keys, with a note", function* () {
    const { env, folder } = yield* givenExports
    const copy = join(folder, "copy")
    mkdirSync(copy)
    for (const file of ["events.db", "events.db-wal"]) {
      if (existsSync(join(env.DATA_DIR, file))) copyFileSync(join(env.DATA_DIR, file), join(copy, file))
    }
    rmSync(join(copy, "master.key"), { force: true })
    const { code, stderr } = yield* run(
      ["trail", "export", "--format", "csv", "--out", join(folder, "sealed.csv")],
      { ...env, DATA_DIR: copy }
    )
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, "names and account numbers are left empty: ")
    assert.include(stderr, "master.key is missing")
    assert.deepInclude(verified(readFileSync(join(folder, "sealed.csv"), "utf8")), {
      senderName: "",
      receiverAccount: "",
      export: "whole log; sealed"
    })
  })
})
