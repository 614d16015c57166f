import { assert, describe, it } from "../support/it.ts"
import { Effect, Fiber } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { info } from "../../application/provisioning/info.ts"
import { contentOf } from "../infrastructure/commands/backup/given-backup.ts"
import { type Client, newSlip } from "../support/client.ts"
import { sliptrail } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import { spawnService, unexpectedLogLines } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

type Info = Effect.Success<ReturnType<typeof info>>

const QUOTA = 8
const LANES = 4

interface Known {
  readonly key: string
  readonly slips: ReadonlyArray<string>
  readonly jobs: ReadonlyArray<string>
}

const jobsOf = ({ call }: Client, { jobs, key }: Known) =>
  Effect.forEach(
    jobs,
    (jobId) =>
      Effect.map(call("GET", `/v2/verify/bank/jobs/${jobId}`, { key }), ({ status, text }) => ({ status, text }))
  )

/** The service's answers about everything that a branch did. */
const answersTo = Effect.fnUntraced(function* (client: Client, known: Known) {
  const { key, slips } = known
  const { call, verify } = client
  const again = yield* Effect.forEach(slips, (payload) => verify(key, payload))
  return {
    // Each answer has a new verification id.
    verified: again.map(({ data: { verificationId: _, ...data }, status }) => ({ status, data })),
    jobs: yield* jobsOf(client, known),
    quota: (yield* call<Info>("GET", "/v2/info", { key })).data.branch.quota
  }
})

/** Verifies new slips in several lanes until stopped. Returns the payloads that were answered so far. */
const verifyContinuously = Effect.fnUntraced(function* ({ verify }: Client, key: string) {
  const answered: Array<string> = []
  const verifyOne = Effect.gen(function* () {
    const { payload } = newSlip()
    if ((yield* verify(key, payload)).status === 200) answered.push(payload)
  })
  const lanes = yield* Effect.forkChild(
    Effect.all(Array.from({ length: LANES }, () => Effect.forever(verifyOne)), { concurrency: "unbounded" })
  )
  return { answered, stop: Fiber.interrupt(lanes) }
})

describe("a backup of a running service", () => {
  it.live("restores every event and every answer into another folder, where the service continues", function* () {
    const folder = yield* temporaryFolder
    const [dataDir, restored, copy] = [join(folder, "data"), join(folder, "restored"), join(folder, "copy.tar.gz")]
    const run = (...args: ReadonlyArray<string>) => sliptrail(args, { cwd: folder, env: { DATA_DIR: dataDir } })
    const onRestored = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      const { code, stderr, stdout } = yield* sliptrail(args, { cwd: folder, env: { DATA_DIR: restored } })
      assert.strictEqual(code, 0, stderr)
      return stdout
    })
    const service = yield* spawnService(dataDir, { CHECKPOINT_EVENTS: "10" })
    const { id, mainBranch: { apiKey: key } } = yield* service.createService({ quota: QUOTA })
    const busy = yield* service.createBranch(id)

    const slips = Array.from({ length: 4 }, () => newSlip().payload)
    for (const slip of slips) assert.strictEqual((yield* service.verify(key, slip)).status, 200)
    const enqueued = yield* Effect.forEach(
      ["found", "not-found"] as const,
      (outcome) =>
        service.call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
          key,
          body: { payload: newSlip({ outcome }).payload }
        })
    )
    const jobs = enqueued.map(({ data }) => data.jobId)
    const known = { key, slips, jobs }
    yield* eventually(
      jobsOf(service, known),
      (jobs) => jobs.every(({ text }) => /"status":"(?:success|not_found)"/u.test(text))
    )

    // Another branch verifies slips during the backup.
    const load = yield* verifyContinuously(service, busy.apiKey)
    yield* eventually(Effect.sync(() => load.answered.length), (answers) => answers > 20)
    const answeredBefore = [...load.answered]
    const backup = yield* run("backup", "--out", copy, "--with-keys", "--json")
    assert.strictEqual(backup.code, 0, backup.stderr)
    const manifest = JSON.parse(backup.stdout)
    const target = load.answered.length + 20
    yield* eventually(Effect.sync(() => load.answered.length), (answers) => answers > target)
    yield* load.stop
    // A restored service must give the same answers as the original.
    const next = yield* answersTo(service, known)
    assert.deepInclude(next.quota, { used: 5, remaining: QUOTA - 5 })

    const refused = yield* run("restore", "--from", copy, "--force")
    assert.strictEqual(refused.code, 2)
    assert.include(refused.stderr, "is in use by a running SlipTrail")
    const checked = yield* run("backup", "check", copy)
    assert.strictEqual(checked.code, 0, checked.stderr)
    const restore = yield* run("restore", "--from", copy, "--data-dir", restored)
    assert.strictEqual(restore.code, 0, restore.stderr)

    // The restored events are the beginning of the original log, which has grown since.
    const [original, restoredLog] = [contentOf(dataDir), contentOf(restored)]
    assert.strictEqual(restoredLog.events.length, manifest.log.events)
    assert.deepStrictEqual(restoredLog.events, original.events.slice(0, manifest.log.events))
    assert.isAbove(original.events.length, restoredLog.events.length)
    assert.isFalse(existsSync(join(restored, "models.db")))
    // The backup copies the file of tree heads before the log, so every head covers restored events only.
    assert.include(yield* onRestored("trail", "verify"), "tree heads")

    const again = yield* spawnService(restored, { CHECKPOINT_EVENTS: "10" })
    assert.deepStrictEqual(yield* answersTo(again, known), next)
    const first = yield* Effect.forEach(answeredBefore, (payload) => again.verify(busy.apiKey, payload))
    assert.isTrue(
      first.every(({ data, status }) => status === 200 && data.isDuplicate),
      "every answered slip is a duplicate"
    )
    // Exactly the remaining quota is admitted.
    const more = yield* Effect.forEach(Array.from({ length: QUOTA }), () => again.verify(key, newSlip().payload))
    assert.deepStrictEqual(more.map(({ status }) => status), [200, 200, 200, 403, 403, 403, 403, 403])
    assert.strictEqual(yield* again.stop("SIGTERM"), 0)
    assert.deepStrictEqual(unexpectedLogLines(again), [])
    assert.deepStrictEqual(contentOf(restored).events.slice(0, restoredLog.events.length), restoredLog.events)
    yield* onRestored("projections", "compare", "duplicates")
    yield* onRestored("trail", "verify")

    // The original is unchanged, and can be replaced after its service has stopped.
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)
    const replaced = yield* run("restore", "--from", copy, "--force")
    assert.strictEqual(replaced.code, 0, replaced.stderr)
    const aside = readdirSync(dataDir).find((name) => name.startsWith("before-restore-")) ?? ""
    assert.deepStrictEqual(contentOf(join(dataDir, aside)).events.slice(0, original.events.length), original.events)
    const last = yield* spawnService(dataDir)
    assert.deepStrictEqual(yield* answersTo(last, known), next)
    assert.strictEqual(yield* last.stop("SIGTERM"), 0)
  })
})
