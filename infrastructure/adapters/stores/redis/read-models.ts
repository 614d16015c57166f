import { Clock, Effect, Layer, Queue, Schedule, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import { placeOf, shadowName } from "../../../../projections/engine/model-name.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../../../domain/events/recorded-event.ts"
import { type Batch, type Member, ReadModels, ReadModelsError } from "../../../../ports/read-models.ts"
import { RedisConnection } from "./connection.ts"
import { dumpModel } from "./dump.ts"
import { epochKeyOf, keyPrefixOf, metaKeyOf } from "./keys.ts"
import { makeHighWaterMarks, parseRedisPosition } from "./high-water-marks.ts"
import { fromRowText, toWriteArgs } from "./rows.ts"
import { listOf, loadScripts, pairsOf, type Script, textOf } from "./scripts.ts"

const reads = loadScripts("reads", "checkpoint", "get", "count", "has", "members")
const scripts = loadScripts("models", "apply", "clear", "promote", "sweep")

/** The reply of `apply` when the model is being dumped. */
const HELD = 2

export interface RedisReadModelsOptions {
  /** The model that counts the reservations of the quota: applying a charge removes its reservation. */
  readonly countedBy?: string
}

/**
 * Read models in Redis, for any number of processes. Every operation is one script, and repeating it changes nothing. A
 * process does not read a model that is below its high-water mark.
 */
export const layerReadModelsRedis = (
  { countedBy }: RedisReadModelsOptions = {}
): Layer.Layer<ReadModels, never, RedisConnection> =>
  Layer.effect(
    ReadModels,
    Effect.gen(function* () {
      const connection = yield* RedisConnection
      const marks = makeHighWaterMarks()
      const sweep = yield* makeSweeper(connection)
      const swept = new Set<string>()
      const dumping = yield* Semaphore.make(1)
      const isCounted = (model: string) => model === countedBy ? "1" : "0"

      /** Runs a read. Fails with `behind` when the model is below its high-water mark. */
      const read = Effect.fnUntraced(function* (
        operation: string,
        script: Script,
        model: string,
        args: ReadonlyArray<string | number>
      ) {
        const mark = marks.of(model)
        const scriptArgs = [keyPrefixOf(model), mark.at, ...args]
        const reply = yield* connection.run(operation, script, [metaKeyOf(model)], scriptArgs)
        const [isThere, at, found] = listOf(reply)
        if (isThere !== 1) return yield* new ReadModelsError({ operation, reason: "behind" })
        marks.raise(mark, textOf(at))
        return found
      })

      const checkpoint = Effect.fnUntraced(function* (operation: string, model: string) {
        const mark = marks.of(model)
        const reply = yield* connection.run(operation, reads.checkpoint, [metaKeyOf(model)], [
          keyPrefixOf(model),
          "0/0"
        ])
        const at = textOf(listOf(reply)[1])
        marks.raise(mark, at)
        return parseRedisPosition(at)
      })

      const apply = Effect.fnUntraced(function* (model: string, batch: Batch) {
        const prefix = keyPrefixOf(model)
        if (!swept.has(prefix)) {
          // Garbage of a process that died before it had swept.
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
          const mark = marks.of(model)
          const [outcome, at] = listOf(yield* connection.run("apply", scripts.apply, [metaKeyOf(model)], args))
          if (outcome !== HELD) {
            marks.raise(mark, textOf(at))
            return parseRedisPosition(textOf(at))
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

      const awaitComplete = (model: string, timeoutMillis: number) =>
        Effect.suspend(() => {
          const { at, isReached } = marks.of(model)
          return isReached ? Effect.void : awaitPosition(model, parseRedisPosition(at), timeoutMillis)
        })

      const clear = Effect.fnUntraced(function* (model: string, mark: Position) {
        const prefix = keyPrefixOf(model)
        const keys = placeOf(model) === model ? [metaKeyOf(model), epochKeyOf(model)] : [metaKeyOf(model)]
        yield* connection.run("clear", scripts.clear, keys, [prefix, randomUUID()])
        marks.reset(model, mark)
        sweep(prefix)
      })

      const promote = Effect.fnUntraced(function* (model: string) {
        const [prefix, shadow, mark] = [keyPrefixOf(model), shadowName(model), marks.of(model)]
        const keys = [metaKeyOf(model), metaKeyOf(shadow)]
        const [done, at] = listOf(yield* connection.run("promote", scripts.promote, keys, [prefix, isCounted(model)]))
        if (done !== 1) return false
        marks.raise(mark, textOf(at))
        marks.reset(shadow, beginning)
        sweep(prefix)
        return true
      })

      return ReadModels.of({
        batchWrites: Effect.succeed(BATCH_WRITES),
        apply,
        require: (model, position) => Effect.sync(() => marks.require(model, position)),
        awaitComplete,
        awaitPosition,
        checkpoint: (model) => checkpoint("checkpoint", model),
        get: (model, table, key) =>
          Effect.map(
            read("get", reads.get, model, [table, key]),
            (row) => typeof row === "string" ? fromRowText(row) : undefined
          ),
        count: (model, set, range) => {
          const bounds = range === undefined ? [] : [String(range.from ?? -Infinity), String(range.to ?? Infinity)]
          return Effect.map(read("count", reads.count, model, [set, ...bounds]), Number)
        },
        has: (model, members) =>
          Effect.map(
            read("has", reads.has, model, members.flatMap(({ member, set }) => [set, member])),
            (found) => listOf(found).map((isThere) => isThere === 1)
          ),
        members: (model, set, { after, from = -Infinity, limit = -1, reverse = false, to = Infinity } = {}) =>
          Effect.map(
            read("members", reads.members, model, [
              set,
              String(from),
              String(to),
              limit,
              reverse ? 1 : 0,
              ...after === undefined ? [] : [String(after.score), after.member]
            ]),
            (found) => {
              const members = pairsOf(found).map(([member, score]): Member => ({ member, score: Number(score) }))
              return reverse ? members.reverse() : members
            }
          ),
        clear,
        promote,
        dump: (model) => dumping.withPermits(1)(dumpModel(connection, model))
      })
    })
  )

/** About five milliseconds, in which the server runs no other script. */
const BATCH_WRITES = 1_000

/** Time until a batch is retried that came during a dump. */
const heldMillis = 20

const shortestPauseMillis = 10
const longestPauseMillis = 50

/** Requests the deletion of a model's garbage, by the prefix of its keys. */
type Sweep = (prefix: string) => void

/**
 * Deletes replaced generations in small steps, until the scope closes. It waits while Redis is unavailable. Garbage that
 * is left when the process ends is deleted by the next process that writes the model.
 */
const makeSweeper = Effect.fnUntraced(function* (connection: RedisConnection["Service"]) {
  const wanted = yield* Queue.unbounded<string>()
  const step = (prefix: string): Effect.Effect<void, ReadModelsError> =>
    connection.run("sweep", scripts.sweep, [`${prefix}:garbage`], [prefix, NAMES_AT_A_TIME]).pipe(
      Effect.flatMap((more) => more === 1 ? step(prefix) : Effect.void)
    )
  yield* Effect.forkScoped(Effect.forever(
    Effect.flatMap(
      Queue.take(wanted),
      (prefix) => Effect.ignore(Effect.retry(step(prefix), Schedule.spaced("1 second")))
    )
  ))
  const sweep: Sweep = (prefix) => void Queue.offerUnsafe(wanted, prefix)
  return sweep
})

const NAMES_AT_A_TIME = 200
