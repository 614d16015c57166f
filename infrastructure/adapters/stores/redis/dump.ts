import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Dump, ReadModelsError } from "../../../../ports/read-models.ts"
import { memberLine, rowLine } from "../../../platform/dump-lines.ts"
import type { RedisConnection } from "./connection.ts"
import { keyPrefixOf, metaKeyOf } from "./keys.ts"
import { parseRedisPosition } from "./high-water-marks.ts"
import { fieldsText } from "./rows.ts"
import { listOf, loadScripts, pairsOf, type Script, textOf, textsOf } from "./scripts.ts"

const scripts = loadScripts("dump", "hold", "read", "release")

/**
 * Reads a model in parts. Writers wait until the dump ends. When the model is cleared or replaced, the dump starts again.
 */
export const dumpModel = (
  connection: RedisConnection["Service"],
  model: string
): Effect.Effect<Dump, ReadModelsError> => {
  const keys = [metaKeyOf(model)]
  const holder = randomUUID()
  const run = (script: Script, args: ReadonlyArray<string>) => connection.run("dump", script, keys, args)

  const hold: Effect.Effect<string, ReadModelsError> = Effect.flatMap(run(scripts.hold, [holder]), (reply) => {
    const [held, at] = listOf(reply)
    return held === 1 ? Effect.succeed(textOf(at)) : Effect.delay(hold, "20 millis")
  })

  const readAll = Effect.fnUntraced(function* () {
    const lines = new Set<string>()
    const names = new Set<string>()
    const parts: Array<Part> = [{ name: "names", cursor: "0" }]
    while (parts.length > 0) {
      const batch = parts.splice(-PARTS_PER_READ)
      const args = batch.flatMap(({ cursor, name }) => [name, cursor])
      const [isHeld, ...found] = listOf(yield* run(scripts.read, [keyPrefixOf(model), holder, ...args]))
      if (isHeld !== 1) return undefined
      batch.forEach(({ name }, index) => {
        const [cursor, content] = [textOf(found[2 * index]), found[2 * index + 1]]
        if (cursor !== "0") parts.push({ name, cursor })
        if (name !== "names") {
          for (const line of linesOf(name, content)) lines.add(line)
          return
        }
        for (const found of textsOf(content)) {
          if (!names.has(found)) parts.push({ name: found, cursor: "0" })
          names.add(found)
        }
      })
    }
    return Array.from(lines).sort()
  })

  const attempt = Effect.acquireUseRelease(
    hold,
    (at) => Effect.map(readAll(), (lines) => lines && { checkpoint: parseRedisPosition(at), lines }),
    // A hold that can't be released expires.
    () => Effect.ignore(run(scripts.release, [holder]))
  )
  return Effect.gen(function* () {
    while (true) {
      const dump = yield* attempt
      if (dump !== undefined) return dump
    }
  })
}

interface Part {
  readonly name: string
  readonly cursor: string
}

/** A scan may return an entry twice, with equal lines. */
const linesOf = (name: string, content: unknown): ReadonlyArray<string> => {
  const label = name.slice(2)
  return name.startsWith("t:")
    ? pairsOf(content).map(([key, row]) => rowLine(label, key, fieldsText(row)))
    : pairsOf(content).map(([member, score]) => memberLine(label, member, Number(score)))
}

const PARTS_PER_READ = 50
