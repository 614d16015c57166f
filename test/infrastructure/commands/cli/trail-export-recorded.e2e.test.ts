import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { trailExports } from "../../../../domain/events/aggregates.ts"
import { beginning } from "../../../../domain/events/recorded-event.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile, holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { run } from "../../../support/in-process.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { givenEndedJobs } from "./given-jobs.ts"

const given = Effect.gen(function* () {
  const { branchId, delivered, env } = yield* givenEndedJobs
  const out = join(yield* temporaryFolder, "export")
  const exported = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
    const ended = yield* run(["trail", "export", ...flags, "--out", out], env)
    return { ...ended, text: existsSync(out) ? readFileSync(out, "utf8") : "" }
  })
  const records = EventStore.use(({ readAll }) => readAll({ after: beginning, limit: 100_000 })).pipe(
    Effect.map((events) => events.filter(({ type }) => type === "TrailExported")),
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(env.DATA_DIR) }))
  )
  return { branchId, delivered, env, exported, out, records }
})

describe("the record of an export by the command line", () => {
  it.live("says who exported what, and stands in the export itself", function* () {
    const { branchId, delivered, exported, out, records } = yield* given
    const exports = [
      [[], { subject: null, personalData: "sealed" }],
      [["--masked", "--from", "2020-01-01", "--to", "2999-12-31"], {
        from: "2019-12-31T17:00:00.000Z",
        to: "2999-12-31T16:59:59.999Z",
        personalData: "masked"
      }],
      [["--branch", branchId, "--format", "csv"], { subject: { kind: "branch", id: branchId }, format: "csv" }],
      [["--job", delivered, "--after", "1/1"], { subject: { kind: "job", id: delivered }, after: "1/1" }]
    ] as const
    for (const [index, [flags, expected]] of exports.entries()) {
      rmSync(out, { force: true })
      const { code, stderr, text } = yield* exported(...flags)
      assert.strictEqual(code, 0, stderr)
      assert.notInclude(stderr, "not recorded")
      const all = yield* records
      assert.lengthOf(all, index + 1)
      const event = all.at(-1) ?? assert.fail("there is a record")
      assert.deepInclude(trailExports.codec.decode(event), expected)
      assert.deepInclude(event.metadata.actor, { kind: "admin", id: "cli" })
      assert.include(text, event.id)
    }
  })

  it.live("is not repeated by a run that writes no event, and is by one that continues", function* () {
    const { exported, out, records } = yield* given
    const first = yield* exported()
    assert.deepInclude(yield* exported(), { code: 0, text: first.text })
    assert.lengthOf(yield* records, 1)
    rmSync(out)
    yield* exported("--to", "2020-01-01")
    assert.lengthOf(yield* records, 1)
  })

  it.live("is missing while a service has the folder open, and the command says so", function* () {
    const { delivered, env, exported, out, records } = yield* given
    yield* run(["trail", "show", "--job", delivered], env)
    yield* holdDataFolder(env.DATA_DIR)
    for (const flags of [["--job", delivered], ["--format", "csv"]]) {
      rmSync(out, { force: true })
      const { code, stderr, text } = yield* exported(...flags)
      assert.strictEqual(code, 0)
      assert.include(text, delivered)
      assert.include(stderr, "this export is not recorded in the log, which a running SlipTrail has open")
      assert.include(stderr, "GET /admin/v1/trail/export?")
    }
    assert.lengthOf(yield* records, 0)
  })
})
