import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Identifiers } from "../../../ports/identifiers.ts"
import type { LogVerdict } from "../../../application/log-proof/verify-log/verify-log.ts"
import { layerIdentifiers } from "../../../infrastructure/keys/identifiers.ts"
import { mutateExport, mutateStored, type Mutation } from "../../support/log-mutations.ts"
import { numbersFrom } from "../../support/random.ts"
import { examineExport, examineStored, exportedLines, givenSignedLog, newKey } from "../../support/signed-log.ts"

/** In each of the two forms. */
const MUTATIONS = 500

/** A small log of three blocks, its export, and the keys of its owner and of somebody else. */
const given = Effect.gen(function* () {
  const log = yield* givenSignedLog(6, 4, 7)
  const lines = yield* exportedLines(log)
  const { derived } = Context.get(yield* Layer.build(layerIdentifiers), Identifiers)
  const signers = { own: log.key, other: newKey(), identifiers: { derived } }
  // All but the last checkpoint.
  return { covered: lines.length - 1, lines, log, signers }
})

const commitOf = (position: string | null): number => Number(position?.split("/")[0])

/** It is found, and some finding says where. */
const isFound = ({ findings, isWhole }: LogVerdict, { positions, what }: Mutation, seed: number) => {
  assert.isFalse(isWhole, `${what} (seed ${seed}) was not found`)
  for (const position of positions) {
    const isTold = findings.some(({ from, to }) => commitOf(from) <= position && position <= commitOf(to))
    assert.isTrue(isTold, `${what} (seed ${seed}) is not at ${position}: ${JSON.stringify(findings, undefined, 1)}`)
  }
}

describe("a log that somebody was at", { timeout: 120_000 }, () => {
  it.live(`is found out in its file, ${MUTATIONS} times of ${MUTATIONS}`, () =>
    Effect.gen(function* () {
      const { covered, lines, log, signers } = yield* given
      const events = join(log.folder, "mutated.db")
      for (let seed = 1; seed <= MUTATIONS; seed++) {
        copyFileSync(log.events, events)
        const mutation = mutateStored(numbersFrom(seed), events, lines, covered, signers)
        isFound(yield* examineStored({ ...log, events }), mutation, seed)
      }
    }))

  it.live(`is found out in an export, ${MUTATIONS} times of ${MUTATIONS}`, () =>
    Effect.gen(function* () {
      const { covered, lines, log, signers } = yield* given
      const file = join(log.folder, "mutated.ndjson")
      for (let seed = 1; seed <= MUTATIONS; seed++) {
        const mutation = mutateExport(numbersFrom(seed), lines, covered, signers)
        writeFileSync(file, mutation.bytes)
        isFound(yield* examineExport(log, file), mutation, seed)
      }
    }))
})
