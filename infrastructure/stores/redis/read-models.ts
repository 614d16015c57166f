import { Clock, Effect, Layer, Semaphore } from "effect"
import { placeOf, shadowName } from "../../../projections/engine/model-name.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../../domain/events/recorded-event.ts"
import { type Batch, type Member, ReadModels, ReadModelsError } from "../../../ports/read-models.ts"
import { applyOutcome, applyScript } from "./apply-script.ts"
import { RedisConnection } from "./connection.ts"
import { dumpModel } from "./dump.ts"
import { makeFloors, positionOf } from "./high-water-marks.ts"
import { keyPrefixOf, metaKeyOf } from "./keys.ts"
import { checkpointScript, countScript, getScript, hasScript, membersScript } from "./read-scripts.ts"
import { listOf, pairsOf, textOf } from "./reply.ts"
import { fromRowText } from "./row-text.ts"
import type { Script } from "./script.ts"
import { makeSweeper } from "./sweeper.ts"
import { clearBesideScript, clearScript, promoteScript } from "./whole-scripts.ts"
import { toWriteArgs } from "./write-args.ts"

export interface RedisReadModelsOptions {
  /** The model that counts the reservations of the quota: one that it counts is no longer under way. */
  readonly countedBy?: string
}

/**
 * Read models in Redis, for any number of processes. Every operation is one script: nothing comes between its parts,
 * and a repeated one changes nothing. A process that saw a model further than it is now does not read it.
 */
export const layerReadModelsRedis = (
  { countedBy }: RedisReadModelsOptions = {}
): Layer.Layer<ReadModels, never, RedisConnection> =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const connection = yield* RedisConnection
      const floors = makeFloors()
      const sweep = yield* makeSweeper(connection)
      const swept = new Set<string>()
      const dumping = yield* Semaphore.make(1)
      const isCounted = (model: string) => model === countedBy ? "1" : "0"

      /** What a look found. Fails with `behind` when the model is behind its floor. */
      const look = Effect.fnUntraced(function* (
        operation: string,
        script: Script,
        model: string,
        args: ReadonlyArray<string | number>
      ) {
        const floor = floors.of(model)
        const scriptArgs = [keyPrefixOf(model), floor.at, ...args]
        const reply = yield* connection.run(operation, script, [metaKeyOf(model)], scriptArgs)
        const [isThere, at, found] = listOf(reply)
        if (isThere !== 1) return yield* new ReadModelsError({ operation, reason: "behind" })
        floors.raise(floor, textOf(at))
        return found
      })

      const checkpoint = Effect.fnUntraced(function* (operation: string, model: string) {
        const floor = floors.of(model)
        const reply = yield* connection.run(operation, checkpointScript, [metaKeyOf(model)], [
          keyPrefixOf(model),
          "0/0"
        ])
        const at = textOf(listOf(reply)[1])
        floors.raise(floor, at)
        return positionOf(at)
      })

      const apply = Effect.fnUntraced(function* (model: string, batch: Batch) {
        const prefix = keyPrefixOf(model)
        if (!swept.has(prefix)) {
          // What a process left that died before it had swept.
          swept.add(prefix)
          sweep(prefix)
        }
        const args = [
          prefix,
          formatPosition(batch.after),
          formatPosition(batch.upTo),
          isCounted(model),
          ...toWriteArgs(batch.writes)
        ]
        while (true) {
          const floor = floors.of(model)
          const [outcome, at] = listOf(yield* connection.run("apply", applyScript, [metaKeyOf(model)], args))
          if (outcome !== applyOutcome.held) {
            floors.raise(floor, textOf(at))
            return positionOf(textOf(at))
          }
          yield* Effect.sleep(heldMillis)
        }
      })

      const awaitPosition = Effect.fnUntraced(function* (model: string, position: Position, timeoutMillis: number) {
        const deadline = (yield* Clock.currentTimeMillis) + timeoutMillis
        for (let pause = shortestPauseMillis;; pause = Math.min(pause * 1.5, longestPauseMillis)) {
          if (!isBefore(yield* checkpoint("awaitPosition", model), position)) return
          const left = deadline - (yield* Clock.currentTimeMillis)
          if (left <= 0) return yield* new ReadModelsError({ operation: "awaitPosition", reason: "behind" })
          yield* Effect.sleep(Math.min(pause, left))
        }
      })

      const clear = Effect.fnUntraced(function* (model: string, until?: Position) {
        const prefix = keyPrefixOf(model)
        const forget = placeOf(model) === model ? clearScript : clearBesideScript
        const goal = until === undefined ? [] : [formatPosition(until)]
        yield* connection.run("clear", forget, [metaKeyOf(model)], [prefix, ...goal])
        floors.set(model, until ?? beginning)
        sweep(prefix)
      })

      const promote = Effect.fnUntraced(function* (model: string) {
        const [prefix, beside, floor] = [keyPrefixOf(model), shadowName(model), floors.of(model)]
        const keys = [metaKeyOf(model), metaKeyOf(beside)]
        const [done, at] = listOf(yield* connection.run("promote", promoteScript, keys, [prefix, isCounted(model)]))
        if (done !== 1) return false
        floors.raise(floor, textOf(at))
        floors.set(beside, beginning)
        sweep(prefix)
        return true
      })

      return ReadModels.of({
        apply,
        awaitPosition,
        checkpoint: (model) => checkpoint("checkpoint", model),
        get: (model, table, key) =>
          Effect.map(
            look("get", getScript, model, [table, key]),
            (row) => typeof row === "string" ? fromRowText(row) : undefined
          ),
        count: (model, set) => Effect.map(look("count", countScript, model, [set]), Number),
        has: (model, set, member) =>
          Effect.map(look("has", hasScript, model, [set, member]), (score) => score !== null),
        members: (model, set, { after, from = -Infinity, limit = -1, to = Infinity } = {}) =>
          Effect.map(
            look("members", membersScript, model, [
              set,
              String(from),
              String(to),
              limit,
              ...after === undefined ? [] : [String(after.score), after.member]
            ]),
            (found) => pairsOf(found).map(([member, score]): Member => ({ member, score: Number(score) }))
          ),
        clear,
        promote,
        dump: (model) => dumping.withPermits(1)(dumpModel(connection, model))
      })
    })
  )

/** Until a batch is tried again that came while the model was dumped. */
const heldMillis = 20

const shortestPauseMillis = 10
const longestPauseMillis = 50
