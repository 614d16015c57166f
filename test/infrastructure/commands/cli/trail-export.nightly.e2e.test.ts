import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { csvHeader } from "../../../../application/trail/export-lines.ts"
import { beginning, formatPosition, type RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile, holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { runs } from "../../../support/runs.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { givenEndedJobs } from "./given-jobs.ts"
import { givenLog } from "./given-log.ts"
import { run } from "../../../support/in-process.ts"

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

const wholeLog = ({ DATA_DIR }: { readonly DATA_DIR: string }) =>
  EventStore.use(({ readAll }) => readAll({ after: beginning, limit: 100_000 })).pipe(
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(DATA_DIR) }))
  )

/** An event as a line of an export. Without a mark it is a line of an export of the whole log. */
const lineOf = ({ data, id, metadata, position, revision, stream, type }: RecordedEvent, mark?: string) => {
  const line = { position: formatPosition(position), id, stream, revision, type, data, metadata }
  return `${JSON.stringify(mark === undefined ? line : { ...line, export: mark })}\n`
}

/** A small log that a service has open, so that exports leave it as it is, and a file to export it to. */
const givenSmallLog = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const env = yield* givenLog(join(folder, "data"), 12)
  yield* holdDataFolder(env.DATA_DIR)
  const out = join(folder, "export")
  const exported = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
    const ended = yield* run(["trail", "export", ...flags, "--out", out], env)
    return { ...ended, text: existsSync(out) ? readFileSync(out, "utf8") : "" }
  })
  return { env, exported, folder, out }
})

describe("sliptrail trail export", () => {
  it.live("writes every event as a line of JSON, and prints the position reached", function* () {
    const { env, exported, out } = yield* givenSmallLog
    const events = yield* wholeLog(env)
    const { code, stderr, stdout, text } = yield* exported()
    assert.deepStrictEqual({ code, stderr, stdout }, {
      code: 0,
      stderr: "this export is not recorded in the log, which a running SlipTrail has open; its admin API records it: "
        + "GET /admin/v1/trail/export?format=ndjson\n12 events, up to position 12/12 of the log",
      stdout: ""
    })
    assert.strictEqual(text, events.map((event) => lineOf(event)).join(""))
    assert.strictEqual(statSync(out).mode & 0o777, 0o600)
  })

  it.live("filters by time and branch, and begins after a position", function* () {
    const { env, exported, out } = yield* givenSmallLog
    const events = yield* wholeLog(env)
    const textOf = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
      writeFileSync(out, "")
      const { code, text } = yield* exported(...flags)
      assert.strictEqual(code, 0)
      return text
    })
    const all = (bounds: string) => events.map((event) => lineOf(event, `whole log; ${bounds}; sealed`)).join("")
    // All events are of 2026-11-21T00:00:00.000Z, which is 07:00 in Bangkok.
    assert.strictEqual(
      yield* textOf("--from", "2026-11-21", "--to", "2026-11-21"),
      all("from 2026-11-20T17:00:00.000Z; to 2026-11-21T16:59:59.999Z")
    )
    assert.strictEqual(
      yield* textOf("--from", "2026-11-21T00:00:00Z", "--to", "2026-11-21 07:00"),
      all("from 2026-11-21T00:00:00.000Z; to 2026-11-21T00:00:00.000Z")
    )
    assert.strictEqual(yield* textOf("--from", "2026-11-21T00:00:00.001Z"), "")
    assert.strictEqual(yield* textOf("--to", "2026-11-20"), "")
    assert.strictEqual(yield* textOf("--after", "10/10"), events.slice(10).map((event) => lineOf(event)).join(""))
  })

  it.live("exports all events of a branch and no others", function* () {
    const { branchId, env } = yield* givenEndedJobs
    const out = join(env.DATA_DIR, "export")
    assert.strictEqual(
      (yield* run(["trail", "export", "--branch", branchId.toUpperCase(), "--out", out], env)).code,
      0
    )
    const lines: ReadonlyArray<{ readonly type: string; readonly stream: string }> = readFileSync(out, "utf8").trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const others = (yield* wholeLog(env)).filter(({ id }) => !lines.some((line) => JSON.stringify(line).includes(id)))
    assert.sameMembers(
      [...new Set(others.map(({ stream }) => stream.split("-")[0]))].filter((kind) => kind !== "chain"),
      ["account", "service"]
    )
    assert.includeMembers(lines.map(({ type }) => type), [
      "BranchCreated",
      "ApiKeyIssued",
      "VerificationEnqueued",
      "SlipVerified",
      "JobNotFound",
      "CallbackDelivered"
    ])
    const unknown = yield* run(["trail", "export", "--branch", UNKNOWN_ID, "--out", `${out}-2`], env)
    assert.deepInclude(unknown, { code: 1, stderr: `sliptrail: the branch ${UNKNOWN_ID} does not exist` })
  })

  it.live("writes a CSV, with a byte order mark on request", function* () {
    const { exported, out } = yield* givenSmallLog
    const { text } = yield* exported("--format", "csv")
    const lines = text.split("\r\n")
    assert.strictEqual(`${lines[0]}\r\n`, csvHeader)
    assert.lengthOf(lines, 14)
    assert.match(
      lines[1] ?? "",
      /^1\/1,[\da-f-]{36},verification-0,0,VerificationFailed,2026-11-21T00:00:00\.000Z,system,test,silom,v-0,,/u
    )
    writeFileSync(out, "")
    const marked = yield* exported("--format", "csv", "--bom")
    assert.strictEqual(marked.text, `\u{feff}${text}`)
  })

  it.live("continues an export that was cut at any byte", function* () {
    for (const flags of [["--format", "ndjson"], ["--format", "csv", "--bom"]]) {
      const { exported, out } = yield* givenSmallLog
      const { text: whole } = yield* exported(...flags)
      const bytes = Buffer.from(whole)
      const ends = Array.from(bytes.entries()).filter(([, byte]) => byte === 10).map(([index]) => index)
      // Cuts at the ends of lines, next to them, and within lines, even within a character.
      const cuts = [
        0,
        1,
        2,
        3,
        ...ends.slice(0, runs(2, 4)).flatMap((end) => [end, end + 1, end + 2, end + 300]),
        bytes.length - 1
      ]
      for (const cut of cuts) {
        truncateSync(out, cut)
        const { code, text } = yield* exported(...flags)
        assert.strictEqual(code, 0)
        assert.isTrue(text === whole, `cut at ${cut} of ${bytes.length}, ${flags.join(" ")}`)
      }
      const { stderr, text } = yield* exported(...flags)
      assert.match(stderr, /^0 events, up to position 12\/12 of the log$/mu)
      assert.isTrue(text === whole)
    }
  })

  it.live("leaves files unchanged that only look like an export", function* () {
    const { exported, out } = yield* givenSmallLog
    const { text: whole } = yield* exported()
    const [first = ""] = whole.split("\n")
    const looksLikeOne = [
      `{"position":"1/1","thesis":"of a year, in one line without an end"}`,
      `${first}\n{"position":"thesis"}\nand notes`,
      `${first}\nand notes`,
      `${whole}and notes`
    ]
    for (const text of looksLikeOne) {
      writeFileSync(out, text)
      const { code, stderr, text: left } = yield* exported()
      assert.deepStrictEqual({ code, left }, { code: 2, left: text })
      assert.match(stderr, /exists and was left unchanged: .*\. Choose another --out, or delete the file first$/u)
    }
    const nowhere = yield* run(["trail", "export", "--out", "/dev/null"], (yield* givenSmallLog).env)
    assert.strictEqual(nowhere.code, 2)
    assert.match(
      nowhere.stderr,
      /^sliptrail: \/dev\/null is not a file: choose a file, or leave out --out for standard output$/mu
    )
  })

  it.live("leaves other files, formats, flags and logs unchanged", function* () {
    const { env, exported, folder, out } = yield* givenSmallLog
    const refused = Effect.fnUntraced(function* (content: string, flags: ReadonlyArray<string>, why: string) {
      writeFileSync(out, content)
      const { code, stderr, text } = yield* exported(...flags)
      assert.strictEqual(code, 2, stderr)
      assert.include(stderr, why)
      assert.strictEqual(text, content)
    })
    const ndjson = (yield* exported()).text
    writeFileSync(out, "")
    const csv = (yield* exported("--format", "csv")).text
    yield* refused("my thesis", [], "is not an export of this version in NDJSON")
    yield* refused("my thesis\n", ["--format", "csv"], "is not an export of this version in CSV")
    yield* refused(csv, [], "is not an export of this version in NDJSON")
    yield* refused(csv, ["--format", "csv", "--bom"], "is not an export of this version in CSV")
    yield* refused(
      ndjson,
      ["--to", "2026-11-20"],
      'an export of "whole log; sealed", and this one is of "whole log; to '
    )
    yield* refused(csv, ["--format", "csv", "--from", "2026-11-22"], 'and this one is of "whole log; from ')
    yield* refused(
      `${ndjson}{"position":"99/99","stream":"x"}\n`,
      [],
      "its last line differs from what this command writes"
    )
    const other = yield* givenLog(join(folder, "other"), 12)
    yield* Effect.sync(() => writeFileSync(out, ndjson))
    const elsewhere = yield* run(["trail", "export", "--out", out], other)
    assert.strictEqual(elsewhere.code, 2)
    assert.strictEqual(readFileSync(out, "utf8"), ndjson)
    assert.strictEqual((yield* run(["trail", "export", "--out", out], env)).code, 0)
  })

  it.live("contains no personal data without --reveal, and records the access with it", function* () {
    const { branchId, env, slip } = yield* givenEndedJobs
    const events = yield* wholeLog(env)
    const fileOf = Effect.fnUntraced(function* (name: string, ...flags: ReadonlyArray<string>) {
      const out = join(env.DATA_DIR, name)
      const { code, stderr } = yield* run(["trail", "export", ...flags, "--out", out], env)
      assert.strictEqual(code, 0, stderr)
      return readFileSync(out, "utf8")
    })
    const formats = ["ndjson", "csv"]
    const plain = yield* Effect.forEach(formats, (format) => fileOf(`plain.${format}`, "--format", format))
    const clear = yield* Effect.forEach(
      formats,
      (format) =>
        fileOf(`clear.${format}`, "--format", format, "--branch", branchId, "--from", "2020-01-01", "--reveal")
    )
    const [transfer] = /"transfer":(\{"transRef".*?"merchantId":null\}\})/u.exec(clear[0] ?? "")?.slice(1) ?? []
    const { sender } = JSON.parse(transfer ?? "")
    const names = [sender.account.name.th, slip.transRef, slip.payload]
    // CSV contains account numbers as the slip shows them, with hidden digits.
    assert.notInclude(plain[0], sender.account.bank.account)
    for (const text of clear) assert.include(text, sender.account.bank.account)
    for (const name of names) {
      for (const text of plain) assert.notInclude(text, name)
      for (const text of clear) assert.include(text, name)
    }
    for (const text of [...plain, ...clear]) assert.notMatch(text, /whsec_/u)
    // The disclosure is recorded before the first line is written, so the export contains it.
    for (const text of clear) assert.include(text, "PersonalDataRevealed")
    const added = (yield* wholeLog(env)).slice(events.length).filter(({ type }) => type === "PersonalDataRevealed")
    assert.deepStrictEqual(
      added.map(({ data: { branchId, command, from, subject, to } }) => ({ branchId, command, from, subject, to })),
      [
        { branchId, command: "trail export", from: "2019-12-31T17:00:00.000Z", subject: null, to: null },
        { branchId, command: "trail export", from: "2019-12-31T17:00:00.000Z", subject: null, to: null }
      ]
    )
  })

  it.live("exports while a service is running, but not with --reveal", function* () {
    const { exported, out } = yield* givenSmallLog
    assert.strictEqual((yield* exported()).code, 0)
    writeFileSync(out, "")
    const { code, stderr, text } = yield* exported("--reveal")
    assert.deepStrictEqual({ code, text }, { code: 2, text: "" })
    assert.include(stderr, "stop it first, or use its admin API")
  })

  it.live("explains invalid options and files", function* () {
    const { env, folder } = yield* givenSmallLog
    const why = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
      const { code, stderr } = yield* run(["trail", "export", ...flags], env)
      assert.strictEqual(code, 2)
      return stderr
    })
    assert.include(yield* why("--from", "soon"), "--from: Expected")
    assert.include(yield* why("--to", "2026-02-30"), "--to: Expected")
    assert.include(
      yield* why("--from", "2026-11-22", "--to", "2026-11-21"),
      "--to: Expected a time that is not before from"
    )
    assert.include(yield* why("--after", "12"), "--after: Expected a position such as 1234/1234")
    assert.include(yield* why("--bom"), "--bom: Expected together with the format csv")
    assert.include(yield* why("--format", "xlsx"), "format")
    assert.include(yield* why("--out", join(folder, "no", "such", "folder")), "cannot be written")
    assert.include(yield* why("--out", folder), "cannot be written")
    const elsewhere = yield* run(["trail", "export"], { DATA_DIR: join(folder, "nothing") })
    assert.strictEqual(elsewhere.code, 2)
    assert.include(elsewhere.stderr, "there is no data in")
  })

  it.live("writes a file that trail verify verifies", function* () {
    const { env } = yield* givenEndedJobs
    const out = join(env.DATA_DIR, "log.ndjson")
    assert.strictEqual((yield* run(["trail", "export", "--out", out], env)).code, 0)
    const verified = yield* run(["trail", "verify", "--file", out], env)
    assert.strictEqual(verified.code, 0, `${verified.stdout}\n${verified.stderr}`)
  })
})
