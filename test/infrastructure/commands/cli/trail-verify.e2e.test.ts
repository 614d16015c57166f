import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { LogVerdict } from "../../../../application/log-proof/verify-log/verify-log.ts"
import { newSlip } from "../../../support/client.ts"
import { eventually, eventuallyHolds } from "../../../support/eventually.ts"
import { useKey } from "../../../support/key-use.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run, runJson } from "../../../support/in-process.ts"

/** Whether tree heads cover all events of a log. */
const isSigned = (env: Readonly<Record<string, string>>) =>
  Effect.map(run(["trail", "verify", "--json"], env), ({ stdout }) => {
    const { uncovered }: LogVerdict = JSON.parse(stdout)
    return uncovered === 0
  })

/** The data folder of a stopped service with two verified slips, and all events signed. */
const givenLog = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const env = { DATA_DIR: join(folder, "data"), CHECKPOINT_EVENTS: "4" }
  yield* Effect.gen(function* () {
    const { createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    yield* useKey(mainBranch)
    for (let n = 0; n < 2; n++) assert.strictEqual((yield* verify(mainBranch.apiKey, newSlip().payload)).status, 200)
  }).pipe(Effect.provide(layerRunningService(env)))
  // A stop has little time for signing. On a busy machine, the next start signs the rest.
  if (!(yield* isSigned(env))) {
    const signsSoon = layerRunningService({ ...env, CHECKPOINT_INTERVAL: "200 millis" })
    yield* Effect.provide(eventuallyHolds(isSigned(env)), signsSoon)
  }
  return { folder, env, data: (name: string) => join(env.DATA_DIR, name) }
})

const tamper = (file: string, sql: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(file)
    db.exec(sql)
    // Corrects the heads of the streams too, as an attacker would. Wrong heads would be a separate finding.
    db.exec("DELETE FROM streams WHERE id NOT IN (SELECT stream_id FROM events)")
    db.exec("UPDATE streams SET head = (SELECT max(revision) FROM events WHERE stream_id = streams.id)")
    db.close()
  })

describe("sliptrail trail verify", () => {
  it.live("reports a complete log, and its checkpoints and keys", function* () {
    const { data, env } = yield* givenLog
    const { code, stderr, stdout } = yield* run(["trail", "verify"], env)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    const [firstLine, covered = "", file = ""] = stdout.split("\n")
    assert.strictEqual(firstLine, "The log is complete and unchanged.")
    assert.match(
      covered,
      /^\d+ events are covered by 3 tree heads, .* signed by [\da-f]{16}\. The next tree head will cover that tree head$/u
    )
    assert.strictEqual(file, `${data("checkpoints.ndjson")} has 3 tree heads`)
    const verdict: LogVerdict = yield* runJson(["trail", "verify"], env)
    assert.deepInclude(verdict, { isWhole: true, uncovered: 0, findingCount: 0 })
    assert.strictEqual(verdict.covered, verdict.events - 1)
  })

  it.live("ends with exit code 3 when nothing is proven, and says when the first tree head is signed", function* () {
    const { data, folder } = yield* givenLog
    const key = data("signing.pub")
    const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
    yield* runJson(["service", "create", "--name", "Shop"], env)
    const own = yield* run(["trail", "verify", "--key", key], env)
    assert.strictEqual(own.code, 3, own.stderr)
    assert.match(own.stdout, /^No tree head is signed yet: nothing is proven about the \d+ events\.$/mu)
    assert.match(own.stdout, /signs after 1,000 events, 60 seconds after the first event, and when it stops\.$/mu)
    assert.include(own.stderr, "so nothing is proven: verify again when one is signed")

    const file = join(folder, "unsigned.ndjson")
    assert.strictEqual((yield* run(["trail", "export", "--out", file], env)).code, 0)
    const exported = yield* run(["trail", "verify", "--file", file, "--key", key], env)
    assert.strictEqual(exported.code, 3, exported.stderr)
    assert.include(exported.stdout, "An export has the tree heads that were signed before it")
  })

  it.live("ends with exit code 3 with --require-checkpoint until the last event is covered", function* () {
    const { env } = yield* givenLog
    const required = ["trail", "verify", "--require-checkpoint"]
    assert.strictEqual((yield* run(required, env)).code, 0)
    yield* runJson(["service", "create", "--name", "Shop"], env)
    const uncovered = yield* run(required, env)
    assert.strictEqual(uncovered.code, 3, uncovered.stderr)
    assert.match(uncovered.stderr, /not proven yet: the last \d+ events\. A running service signs after 4 events/u)
    assert.strictEqual((yield* run(["trail", "verify"], env)).code, 0)
  })

  it.live("verifies while a running service signs", function* () {
    const env = { DATA_DIR: join(yield* temporaryFolder, "data"), CHECKPOINT_INTERVAL: "200 millis" }
    yield* Effect.gen(function* () {
      const { createService, verify } = yield* RunningService
      const { mainBranch } = yield* createService()
      const verifyAndGrow = Effect.gen(function* () {
        const { code, stdout } = yield* run(["trail", "verify", "--json"], env)
        yield* verify(mainBranch.apiKey, newSlip().payload)
        const verdict: LogVerdict = JSON.parse(stdout)
        // Before the first tree head is signed, nothing is proven.
        assert.strictEqual(code, verdict.checkpoint === null ? 3 : 0)
        return verdict
      })
      const seen = yield* eventually(verifyAndGrow, ({ covered }) => covered > 8)
      assert.deepStrictEqual(seen.findings, [])
      // A stop has little time for signing.
      yield* eventuallyHolds(isSigned(env))
    }).pipe(Effect.provide(layerRunningService(env)))
    assert.deepInclude(yield* runJson(["trail", "verify"], env), { isWhole: true, uncovered: 0 })
  })

  it.live("exits with 1 for a changed log, and prints the findings", function* () {
    const { data, env } = yield* givenLog
    yield* tamper(
      data("events.db"),
      "UPDATE events SET data = json_set(data, '$.charged', 0) WHERE type = 'SlipVerified'"
    )
    const { code, stderr, stdout } = yield* run(["trail", "verify"], env)
    assert.strictEqual(code, 1)
    assert.match(stderr, /^sliptrail: the log differs from what was signed: \d findings?$/u)
    assert.match(
      stdout,
      /^between event \d+ \(position .*\): they differ from what tree head \d was signed over$/mu
    )
    assert.match(stdout, /^(\d+) events were read, \d+ were signed, by \d tree heads/mu)
    const json = yield* run(["trail", "verify", "--json"], env)
    assert.deepInclude(JSON.parse(json.stdout), { isWhole: false })
    assert.strictEqual(json.code, 1)
  })

  it.live("detects a truncated log by the read models, the file of tree heads and SQLite", function* () {
    const { data, env } = yield* givenLog
    const cut = (sql: string) => tamper(data("events.db"), sql)
    yield* cut("DELETE FROM events WHERE position > 5")
    const all = yield* run(["trail", "verify"], env)
    assert.strictEqual(all.code, 1)
    assert.match(all.stdout, /events are missing, from position 6\/6/u)
    assert.match(all.stdout, /the read model branches\.v\d+ has reached position/u)
    assert.match(all.stdout, /tree heads? \d.*: in the file, but not in the log/u)
    yield* cut("UPDATE sqlite_sequence SET seq = 5 WHERE name = 'events'")
    for (const name of ["models.db", "models.db-shm", "models.db-wal"]) rmSync(data(name), { force: true })
    assert.strictEqual((yield* run(["trail", "verify"], env)).code, 1, "the file of tree heads still shows it")
    rmSync(data("checkpoints.ndjson"))
    const nothing = yield* run(["trail", "verify"], env)
    assert.strictEqual(nothing.code, 3, "nothing is left that proves anything")
    assert.include(nothing.stdout, "There was no file of tree heads to compare with")
  })

  it.live("detects a rewritten log with a copy of the file or of the public key", function* () {
    const { env, folder } = yield* givenLog
    const other = yield* givenLog
    const stored = (name: string) => join(folder, name)
    for (const name of ["checkpoints.ndjson", "signing.pub"]) copyFileSync(join(env.DATA_DIR, name), stored(name))
    // The other log is consistent in itself.
    assert.strictEqual((yield* run(["trail", "verify"], other.env)).code, 0)
    const byFile = yield* run(["trail", "verify", "--checkpoints", stored("checkpoints.ndjson")], other.env)
    assert.strictEqual(byFile.code, 1)
    assert.match(byFile.stdout, /^tree heads 1 to 3: differs between the file and the log$/mu)
    const byKey = yield* run(["trail", "verify", "--key", stored("signing.pub")], other.env)
    assert.strictEqual(byKey.code, 1)
    assert.match(
      byKey.stdout,
      /^tree heads 1 to 3: signed by key [\da-f]{16}, which is not a trusted key/mu
    )
  })

  it.live("verifies an export without a data folder", function* () {
    const { data, env, folder } = yield* givenLog
    const file = join(folder, "export.ndjson")
    assert.strictEqual((yield* run(["trail", "export", "--format", "ndjson", "--out", file], env)).code, 0)
    const given = ["--file", file, "--checkpoints", data("checkpoints.ndjson"), "--key", data("signing.pub")]
    const nowhere = { DATA_DIR: join(folder, "nowhere") }
    const whole: LogVerdict = yield* runJson(["trail", "verify", ...given], nowhere)
    const { inFile: _, ...stored }: LogVerdict = yield* runJson(["trail", "verify"], env)
    assert.deepInclude(whole, { isWhole: true, events: stored.events, covered: stored.covered })
    writeFileSync(file, readFileSync(file, "utf8").replace('"charged":true', '"charged":false'))
    assert.strictEqual((yield* run(["trail", "verify", ...given], nowhere)).code, 1)
    writeFileSync(file, readFileSync(file).subarray(0, -100))
    assert.strictEqual((yield* run(["trail", "verify", ...given], nowhere)).code, 1)
  })

  it.live("exits with 2 when it cannot run", function* () {
    const { data, env, folder } = yield* givenLog
    const none = join(folder, "none")
    const cases = [
      { args: [], env: { DATA_DIR: none }, message: "does not exist: name the public key" },
      { args: ["--file", none], env, message: `${none} cannot be read` },
      { args: ["--checkpoints", none], env, message: `${none} cannot be read` },
      { args: ["--file", data("signing.pub")], env, message: "is not an export of a log" },
      { args: ["--key", none], env, message: `${none} cannot be read` },
      { args: ["--key", data("signing.key")], env, message: "must hold Ed25519 public keys in PEM" },
      {
        args: ["--file", data("checkpoints.ndjson")],
        env: { DATA_DIR: none },
        message: "name the public key with --key FILE"
      }
    ]
    for (const { args, env, message } of cases) {
      const { code, stderr, stdout } = yield* run(["trail", "verify", ...args], env)
      assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" }, stderr)
      assert.include(stderr, message)
    }
    mkdirSync(none)
    copyFileSync(data("signing.pub"), join(none, "signing.pub"))
    const empty = yield* run(["trail", "verify"], { DATA_DIR: none })
    assert.strictEqual(empty.code, 2)
    assert.include(empty.stderr, "there is no data in")
  })

  it.live("exits with 1 when the file is not a log", function* () {
    const { data, env } = yield* givenLog
    writeFileSync(data("events.db"), Buffer.alloc(4_096, 1))
    const { code, stderr } = yield* run(["trail", "verify"], env)
    assert.strictEqual(code, 1)
    assert.match(stderr, /events\.db cannot be read: file is not a database/u)
  })
})
