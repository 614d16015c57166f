import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beginning } from "../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile, holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { run } from "../../../support/in-process.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { givenEndedJobs } from "./given-jobs.ts"

const givenFile = Effect.gen(function* () {
  const given = yield* givenEndedJobs
  const out = join(yield* temporaryFolder, "export")
  const exported = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
    const ended = yield* run(["trail", "export", ...flags, "--out", out], given.env)
    return { ...ended, text: existsSync(out) ? readFileSync(out, "utf8") : "" }
  })
  const disclosureCount = EventStore.use(({ readAll }) => readAll({ after: beginning, limit: 100_000 })).pipe(
    Effect.map((events) => events.filter(({ type }) => type === "PersonalDataRevealed").length),
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(given.env.DATA_DIR) }))
  )
  return { ...given, exported, disclosureCount, out }
})

describe("sliptrail trail export into an existing file", () => {
  it.live("continues only the same export, names the export in the file, and records no access that did not happen", function* () {
    const { branchId, delivered, exported, disclosureCount, out } = yield* givenFile
    const requests: ReadonlyArray<readonly [name: string, flags: ReadonlyArray<string>]> = [
      ["whole log; sealed", []],
      ["whole log; revealed", ["--reveal"]],
      ["whole log; masked", ["--masked"]],
      ["whole log; from 2019-12-31T17:00:00.000Z; sealed", ["--from", "2020-01-01"]],
      ["whole log; to 2999-12-31T16:59:59.999Z; sealed", ["--to", "2999-12-31"]],
      [`branch ${branchId}; sealed`, ["--branch", branchId]],
      [`job ${delivered}; sealed`, ["--job", delivered]],
      [`verification ${delivered}; sealed`, ["--verification", delivered]]
    ]
    for (const format of ["ndjson", "csv"]) {
      const own = requests.filter(([, flags]) => format === "ndjson" || !flags.includes("--masked"))
        .map(([name, flags]) =>
          [format === "csv" ? name.replace("sealed", "masked") : name, ["--format", format, ...flags]] as const
        )
      for (const [name, flags] of own) {
        rmSync(out, { force: true })
        const first = yield* exported(...flags)
        assert.strictEqual(first.code, 0, first.stderr)
        const before = yield* disclosureCount
        for (const [other, otherFlags] of own) {
          const { code, stderr, text } = yield* exported(...otherFlags)
          assert.strictEqual(text, first.text)
          if (other === name) {
            assert.match(stderr, /^0 events, up to position /u)
            assert.strictEqual(code, 0)
            continue
          }
          assert.strictEqual(code, 2, `${other} into ${name}`)
          assert.include(
            stderr,
            `${out} exists and was left unchanged: it is an export of "${name}", and this one is of "${other}"`
          )
          assert.include(stderr, "Choose another --out, or delete the file first")
        }
        assert.strictEqual(yield* disclosureCount, before)
      }
    }
  })

  it.live("does not continue an export with another --after", function* () {
    const { env, exported, out } = yield* givenFile
    yield* holdDataFolder(env.DATA_DIR)
    const whole = yield* exported()
    assert.deepInclude(yield* exported("--after", "3/3"), { code: 2, text: whole.text })
    rmSync(out)
    const remaining = yield* exported("--after", "3/3")
    assert.strictEqual(remaining.text, whole.text.split("\n").slice(3).join("\n"))
    assert.deepInclude(yield* exported(), { code: 2, text: remaining.text })
    assert.deepInclude(yield* exported("--after", "3/3"), { code: 0, text: remaining.text })
  })

  it.live("truncates no file that it refuses", function* () {
    const { exported, out } = yield* givenFile
    const truncated = (yield* exported("--to", "2999-12-31")).text.slice(0, -30)
    writeFileSync(out, truncated)
    assert.deepInclude(yield* exported(), { code: 2, text: truncated })
  })

  it.live("is refused by trail verify unless it is a whole log", function* () {
    const { branchId, env, exported, out } = yield* givenFile
    yield* exported("--branch", branchId)
    const { code, stderr } = yield* run(["trail", "verify", "--file", out], env)
    assert.strictEqual(code, 2)
    assert.include(stderr, `${out} is a partial export ("branch ${branchId}; sealed")`)
  })
})
