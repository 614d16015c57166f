import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { info } from "../../application/provisioning/info.ts"
import { contentOf } from "../infrastructure/backup/given-backup.ts"
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

/** Everything that a branch is told of what it did, when it asks for all of it once more. */
const answersTo = Effect.fnUntraced(function* (client: Client, known: Known) {
  const { key, slips } = known
  const { call, verify } = client
  const again = yield* Effect.forEach(slips, (payload) => verify(key, payload))
  return {
    // Each answer has an id of its own.
    verified: again.map(({ data: { verificationId: _, ...data }, status }) => ({ status, data })),
    jobs: yield* jobsOf(client, known),
    quota: (yield* call<Info>("GET", "/v2/info", { key })).data.branch.quota
  }
})

/** Verifies new slips in several lanes without end; gives the payloads that were answered so far. */
const verifyForEver = Effect.fnUntraced(function* ({ verify }: Client, key: string) {
  const answered: Array<string> = []
  const one = Effect.gen(function* () {
    const { payload } = newSlip()
    if ((yield* verify(key, payload)).status === 200) answered.push(payload)
  })
  const lanes = yield* Effect.forkChild(
    Effect.all(Array.from({ length: LANES }, () => Effect.forever(one)), { concurrency: "unbounded" })
  )
  return { answered, stop: Fiber.interrupt(lanes) }
})

describe("a backup beside a running service", () => {
  it.live("brings back every event and every answer, on another folder, and goes on", () =>
    Effect.gen(function* () {
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
      const enqueued = yield* Effect.forEach(["found", "not-found"] as const, (outcome) =>
        service.call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
          key,
          body: { payload: newSlip({ outcome }).payload }
        }))
      const jobs = enqueued.map(({ data }) =>
        data.jobId
      )
      const known = { key, slips, jobs }
      yield* eventually(jobsOf(service, known), (jobs) =>
        jobs.every(({ text }) =>
          /"status":"(?:success|not_found)"/u.test(text)
        ))

      // Another branch is busy all the while.
      const load = yield* verifyForEver(service, busy.apiKey)
      yield* eventually(Effect.sync(() => load.answered.length), (answers) => answers > 20)
      const inTime = [...load.answered]
      const backup = yield* run("backup", "--out", copy, "--with-keys", "--json")
      assert.strictEqual(backup.code, 0, backup.stderr)
      const manifest = JSON.parse(backup.stdout)
      const enough = load.answered.length + 20
      yield* eventually(Effect.sync(() => load.answered.length), (answers) => answers > enough)
      yield* load.stop
      // What the original says next, everybody who has the backup is to say as well.
      const next = yield* answersTo(service, known)
      assert.deepInclude(next.quota, { used: 5, remaining: QUOTA - 5 })

      const held = yield* run("restore", "--from", copy, "--force")
      assert.strictEqual(held.code, 2)
      assert.include(held.stderr, "is in use by a running SlipTrail")
      const checked = yield* run("backup", "check", copy)
      assert.strictEqual(checked.code, 0, checked.stderr)
      const restore = yield* run("restore", "--from", copy, "--data-dir", restored)
      assert.strictEqual(restore.code, 0, restore.stderr)

      // Byte for byte the beginning of the log, which has gone on since.
      const [original, brought] = [contentOf(dataDir), contentOf(restored)]
      assert.strictEqual(brought.events.length, manifest.log.events)
      assert.deepStrictEqual(brought.events, original.events.slice(0, manifest.log.events))
      assert.isAbove(original.events.length, brought.events.length)
      assert.isFalse(existsSync(join(restored, "models.db")))
      // The file of tree heads was taken before the log, and knows of nothing that is not in it.
      assert.include(yield* onRestored("trail", "verify"), "tree heads")

      const again = yield* spawnService(restored, { CHECKPOINT_EVENTS: "10" })
      assert.deepStrictEqual(yield* answersTo(again, known), next)
      const first = yield* Effect.forEach(inTime, (payload) => again.verify(busy.apiKey, payload))
      assert.isTrue(first.every(({ data, status }) => status === 200 && data.isDuplicate), "what was answered is known")
      // Exactly what is left of the quota.
      const more = yield* Effect.forEach(Array.from({ length: QUOTA }), () => again.verify(key, newSlip().payload))
      assert.deepStrictEqual(more.map(({ status }) => status), [200, 200, 200, 403, 403, 403, 403, 403])
      assert.strictEqual(yield* again.stop("SIGTERM"), 0)
      assert.deepStrictEqual(unexpectedLogLines(again), [])
      assert.deepStrictEqual(contentOf(restored).events.slice(0, brought.events.length), brought.events)
      yield* onRestored("projections", "compare", "duplicates")
      yield* onRestored("trail", "verify")

      // The original is as it was, and may be replaced once nobody holds it.
      assert.strictEqual(yield* service.stop("SIGTERM"), 0)
      const replaced = yield* run("restore", "--from", copy, "--force")
      assert.strictEqual(replaced.code, 0, replaced.stderr)
      const aside = readdirSync(dataDir).find((name) => name.startsWith("before-restore-")) ?? ""
      assert.deepStrictEqual(contentOf(join(dataDir, aside)).events.slice(0, original.events.length), original.events)
      const last = yield* spawnService(dataDir)
      assert.deepStrictEqual(yield* answersTo(last, known), next)
      assert.strictEqual(yield* last.stop("SIGTERM"), 0)
    }))
})
