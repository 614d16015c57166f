import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import type { InclusionProof } from "../../../../domain/log-proof/inclusion-proof.ts"
import { newSlip } from "../../../support/client.ts"
import { eventually } from "../../../support/eventually.ts"
import { run, runJson } from "../../../support/in-process.ts"
import { useKey } from "../../../support/key-use.ts"
import { requireProgram } from "../../../support/require-program.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { deliveredEvents, givenEndedJobs } from "./given-jobs.ts"

/** A data folder in which a service has verified slips in several signed blocks and stopped, and one verification. */
const givenVerification = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const env = { DATA_DIR: join(folder, "data"), CHECKPOINT_EVENTS: "5" }
  const id = yield* Effect.gen(function* () {
    const { createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    yield* useKey(mainBranch)
    const ids: Array<string> = []
    for (let n = 0; n < 8; n++) ids.push((yield* verify(mainBranch.apiKey, newSlip().payload)).data.verificationId)
    const id = ids[3] ?? ""
    yield* eventually(run(["trail", "prove", "--verification", id], env), ({ code }) => code === 0)
    return id
  }).pipe(Effect.provide(layerRunningService(env)))
  const key = join(env.DATA_DIR, "signing.pub")
  return { env, folder, id, key, proof: join(folder, "proof.json"), nowhere: { DATA_DIR: join(folder, "nowhere") } }
})

const given = Effect.tap(
  givenVerification,
  ({ env, id, proof }) =>
    Effect.map(
      run(["trail", "prove", "--verification", id, "--out", proof], env),
      ({ code, stderr }) => assert.strictEqual(code, 0, stderr)
    )
)

const readProof = (file: string): InclusionProof => JSON.parse(readFileSync(file, "utf8"))

const python = fileURLToPath(new URL("../../../../docs/examples/proof/check_proof.py", import.meta.url))

/** The result of the independent Python example for a proof. */
const checkedByPython = (proof: string, key: string) =>
  Effect.sync(() => {
    const { status, stderr, stdout } = spawnSync(requireProgram("python3"), [python, proof, key], { encoding: "utf8" })
    assert.strictEqual(stderr, "")
    return { status, stdout }
  })

describe("sliptrail trail prove", () => {
  it.live("proves a verification with the public key alone", function* () {
    const { id, key, nowhere, proof } = yield* given
    const { entries: [entry], ...more } = readProof(proof)
    assert.deepInclude(more, { format: "sliptrail-proof/1", about: { kind: "verification", id } })
    assert.deepInclude(entry.event, { type: "SlipVerified", revision: 0 })
    assert.isAtLeast(entry.path.length, 2)
    const { code, stdout } = yield* run(["trail", "check-proof", proof, "--key", key], nowhere)
    assert.strictEqual(code, 0)
    assert.match(stdout, new RegExp(`Slip of bank 004 over 100\\.00 baht.*verification ${id}`, "u"))
    assert.match(
      stdout,
      /^ {2}proven: event 0 of slip-\S+, at position \S+ of the log, covered by tree head \d+ of \S+, signed by key [\da-f]{16}$/mu
    )
    assert.include(stdout, "Not proven: that the log has no other events about it")
    const report = yield* runJson(["trail", "check-proof", proof, "--key", key], nowhere)
    assert.deepInclude(report, { isProven: true })
    assert.deepStrictEqual(yield* checkedByPython(proof, key), {
      status: 0,
      stdout: `proven SlipVerified at ${entry.event.position} signed ${more.checkpoints[0].at}\n`
    })
  })

  it.live("records each proof in the log, and says so when a running service has the log open", function* () {
    const { env, id } = yield* given
    const beside = yield* Effect.provide(
      run(["trail", "prove", "--verification", id], env),
      layerRunningService(env)
    )
    assert.strictEqual(beside.code, 0)
    assert.match(
      beside.stderr,
      /^this proof is not recorded in the log, which a running SlipTrail has open; its admin API records it: GET \/admin\/v1\/trail\/proof\?/u
    )
    const acts: ReadonlyArray<{ readonly subject: unknown }> = yield* runJson(
      ["operator", "log", "--kind", "EventsProven"],
      env
    )
    assert.deepStrictEqual(acts.map(({ subject }) => subject), [{ kind: "verification", id }])
    const unknown = yield* run(["trail", "prove", "--job", id], env)
    assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
  })

  it.live("replaces a proof, and no other file", function* () {
    const { env, id, proof } = yield* given
    const text = readFileSync(proof, "utf8")
    const again = (out: string) => run(["trail", "prove", "--verification", id, "--out", out], env)
    assert.strictEqual((yield* again(proof)).code, 0)
    assert.strictEqual(readFileSync(proof, "utf8"), text)
    const before = readFileSync(join(env.DATA_DIR, "master.key"), "utf8")
    const { code, stderr } = yield* again(join(env.DATA_DIR, "master.key"))
    assert.strictEqual(code, 2)
    assert.match(stderr, /exists and is not a proof, it was left unchanged: choose another file$/u)
    assert.strictEqual(readFileSync(join(env.DATA_DIR, "master.key"), "utf8"), before)
  })

  it.live("proves all events of a job while a service is running", function* () {
    const { delivered, env } = yield* givenEndedJobs
    const types = yield* Effect.gen(function* () {
      const proof: InclusionProof = JSON.parse((yield* run(["trail", "prove", "--job", delivered], env)).stdout)
      return proof.entries.map(({ event }) => event.type)
    }).pipe(Effect.provide(layerRunningService(env)))
    assert.deepStrictEqual(types, deliveredEvents)
  })

  it.live("prints when unsigned events will be signed", function* () {
    const env = { DATA_DIR: join(yield* temporaryFolder, "data"), CHECKPOINT_INTERVAL: "10 minutes" }
    const { code, stderr } = yield* Effect.gen(function* () {
      const { createService, verify } = yield* RunningService
      const { mainBranch } = yield* createService()
      const { data } = yield* verify(mainBranch.apiKey, newSlip().payload)
      return yield* run(["trail", "prove", "--verification", data.verificationId], env)
    }).pipe(Effect.provide(layerRunningService(env)))
    assert.strictEqual(code, 1)
    assert.match(
      stderr,
      /1 of its 1 events is not signed yet: a service .* signs them by \d{4}-\S+Z, or when it starts/u
    )
  })

  it.live("fails for an unknown subject and for a changed log", function* () {
    const { env, id } = yield* givenVerification
    const none = yield* run(["trail", "prove", "--verification", "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"], env)
    assert.deepInclude(none, { code: 1, stderr: "sliptrail: there are no events" })
    const wrong = yield* run(["trail", "prove", "--job", "nothing"], env)
    assert.deepInclude(wrong, { code: 2, stderr: "sliptrail: --job: Expected a UUID" })
    for (const flags of [[], ["--job", id, "--verification", id]]) {
      const { code, stderr } = yield* run(["trail", "prove", ...flags], env)
      assert.strictEqual(code, 2)
      assert.include(stderr, "give exactly one of --verification ID, --job ID")
    }
    const db = new DatabaseSync(join(env.DATA_DIR, "events.db"))
    db.exec(
      `UPDATE events SET data = json_set(data, '$.amount', 1) WHERE json_extract(data, '$.verificationId') = '${id}'`
    )
    db.close()
    const changed = yield* run(["trail", "prove", "--verification", id], env)
    assert.strictEqual(changed.code, 1)
    assert.match(changed.stderr, /differ from those that tree head \d was signed over: see sliptrail trail verify/u)
  })
})

describe("sliptrail trail check-proof", () => {
  it.live("refuses a changed proof, as the Python example does", function* () {
    const { folder, key, nowhere, proof } = yield* given
    const whole = readProof(proof)
    const { checkpoints: [checkpoint], entries: [entry] } = whole
    const changed: ReadonlyArray<InclusionProof> = [
      { ...whole, entries: [{ ...entry, event: { ...entry.event, data: { ...entry.event.data, amount: 1 } } }] },
      { ...whole, entries: [{ ...entry, event: { ...entry.event, position: "1/1" } }] },
      { ...whole, entries: [{ ...entry, index: entry.index + 1 }] },
      { ...whole, entries: [{ ...entry, path: entry.path.slice(1) }] },
      { ...whole, entries: [{ ...entry, path: [...entry.path].reverse() }] },
      { ...whole, checkpoints: [{ ...checkpoint, at: "2026-01-01T00:00:00.000Z" }] },
      { ...whole, checkpoints: [{ ...checkpoint, merkleRoot: "0".repeat(64) }] },
      { ...whole, checkpoints: [{ ...checkpoint, signature: Buffer.alloc(64).toString("base64") }] }
    ]
    const file = join(folder, "changed.json")
    for (const changedProof of changed) {
      writeFileSync(file, JSON.stringify(changedProof))
      const { code, stderr, stdout } = yield* run(["trail", "check-proof", file, "--key", key], nowhere)
      assert.strictEqual(code, 1, stdout)
      assert.include(stderr, "the proof is not valid: 1 of 1 events are not proven")
      assert.match(stdout, /NOT PROVEN/u)
      assert.notInclude(stdout, "What is proven")
      assert.strictEqual((yield* checkedByPython(file, key)).status, 1)
    }
  })

  it.live("refuses a proof signed by another key, and a file that is not a proof", function* () {
    const { folder, key, nowhere, proof } = yield* given
    const other = yield* given
    const otherKey = yield* run(["trail", "check-proof", proof, "--key", other.key], nowhere)
    assert.strictEqual(otherKey.code, 1)
    assert.match(
      otherKey.stdout,
      /tree head \d+ is signed by the untrusted key [\da-f]{16}; trusted: [\da-f]{16}/u
    )
    const file = join(folder, "none.json")
    const whole = readProof(proof)
    for (const text of ["", "{}", JSON.stringify({ ...whole, more: 1 }), JSON.stringify({ ...whole, entries: [] })]) {
      writeFileSync(file, text)
      const { code, stderr } = yield* run(["trail", "check-proof", file, "--key", key], nowhere)
      assert.deepStrictEqual({ code, stderr }, {
        code: 1,
        stderr: `sliptrail: ${file} is not a proof, or it was changed`
      })
    }
  })

  it.live("refuses ambiguous JSON, duplicated events and impossible proofs", function* () {
    const { folder, key, nowhere, proof } = yield* given
    const whole = readProof(proof)
    const { entries: [entry] } = whole
    const text = JSON.stringify(whole)
    const deep = `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)},`
    const changed: ReadonlyArray<readonly [text: string, expected: RegExp]> = [
      [text.replace(`"amount":`, `"amount":1,"amount":`), /an object in it has the same name twice/u],
      [text.replace(`"about":`, `"entries":[],"about":`), /an object in it has the same name twice/u],
      [JSON.stringify({ ...whole, entries: [entry, entry] }), /1 of 2 events are not proven/u],
      [text.replace(`"data":{`, `"data":${deep}`), /no proof|not proven/u]
    ]
    const file = join(folder, "changed.json")
    for (const [text, expected] of changed) {
      writeFileSync(file, text)
      const { code, stderr } = yield* run(["trail", "check-proof", file, "--key", key], nowhere)
      assert.strictEqual(code, 1, stderr)
      assert.match(stderr, expected)
      assert.notInclude(stderr, "    at ")
    }
    for (const [text] of changed.slice(0, 3)) {
      writeFileSync(file, text)
      const { status } = spawnSync(requireProgram("python3"), [python, file, key])
      assert.strictEqual(status, 1)
    }
    writeFileSync(file, JSON.stringify(whole).replaceAll(",", " ,\n\t"))
    assert.strictEqual((yield* run(["trail", "check-proof", file, "--key", key], nowhere)).code, 0)
  })

  it.live("exits with 2 without the proof or a key", function* () {
    const { key, nowhere, proof } = yield* given
    const missing = yield* run(["trail", "check-proof", "/nowhere/proof.json", "--key", key], nowhere)
    assert.strictEqual(missing.code, 2)
    const keyless = yield* run(["trail", "check-proof", proof], nowhere)
    assert.strictEqual(keyless.code, 2)
    assert.include(keyless.stderr, "name the public key with --key FILE")
  })
})
