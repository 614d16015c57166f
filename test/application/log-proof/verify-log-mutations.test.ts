import { assert, describe, it } from "../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Identifiers } from "../../../ports/identifiers.ts"
import type { LogVerdict } from "../../../application/log-proof/verify-log/verify-log.ts"
import { layerIdentifiers } from "../../../infrastructure/adapters/keys/identifiers.ts"
import { mutateExport, mutateStored, type Mutation } from "../../support/log-mutations.ts"
import { numbersFrom } from "../../support/random.ts"
import { examineExport, examineStored, exportedLines, givenSignedLog, newKey } from "../../support/signed-log.ts"
import { runs } from "../../support/runs.ts"

/** For the stored log, and again for an export. */
const MUTATIONS = runs(100, 500)

/** A small log of three blocks, its export, the key of its owner and another key. */
const given = Effect.gen(function* () {
  const log = yield* givenSignedLog(6, 4, 7)
  const lines = yield* exportedLines(log)
  const { derived } = Context.get(yield* Layer.build(layerIdentifiers), Identifiers)
  const signers = { own: log.key, other: newKey(), identifiers: { derived } }
  // All but the last tree head.
  return { covered: lines.length - 1, lines, log, signers }
})

const commitOf = (position: string | null): number => Number(position?.split("/")[0])

/** A finding reports the change and its position. */
const assertFound = ({ findings, isWhole }: LogVerdict, { positions, label }: Mutation, seed: number) => {
  assert.isFalse(isWhole, `${label} (seed ${seed}) was not found`)
  for (const position of positions) {
    const isLocated = findings.some(({ from, to }) => commitOf(from) <= position && position <= commitOf(to))
    assert.isTrue(isLocated, `${label} (seed ${seed}) is not at ${position}: ${JSON.stringify(findings, undefined, 1)}`)
  }
}

describe("verifying a changed log", () => {
  it.live(`reports the change in the stored log, ${MUTATIONS} times of ${MUTATIONS}`, function* () {
    const { covered, lines, log, signers } = yield* given
    const events = join(log.folder, "mutated.db")
    for (let seed = 1; seed <= MUTATIONS; seed++) {
      copyFileSync(log.events, events)
      const mutation = mutateStored(numbersFrom(seed), events, lines, covered, signers)
      assertFound(yield* examineStored({ ...log, events }), mutation, seed)
    }
  })

  it.live(`reports the change in an export, ${MUTATIONS} times of ${MUTATIONS}`, function* () {
    const { covered, lines, log, signers } = yield* given
    const file = join(log.folder, "mutated.ndjson")
    for (let seed = 1; seed <= MUTATIONS; seed++) {
      const mutation = mutateExport(numbersFrom(seed), lines, covered, signers)
      writeFileSync(file, mutation.bytes)
      assertFound(yield* examineExport(log, file), mutation, seed)
    }
  })

  it.live("refuses an export that was cut within its first event, and a file of another kind", function* () {
    const { lines, log } = yield* given
    const file = join(log.folder, "mutated.ndjson")
    for (const content of [lines[0]?.slice(0, -1), "{", "position,type\n", "[]\n"]) {
      writeFileSync(file, content ?? "")
      const { isDamaged, message } = yield* Effect.flip(examineExport(log, file))
      assert.isFalse(isDamaged)
      assert.include(message, `${file} is not an export of a log`)
    }
  })
})
