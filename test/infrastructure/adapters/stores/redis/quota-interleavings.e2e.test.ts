import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { beginning } from "../../../../../domain/events/recorded-event.ts"
import type { EventStore } from "../../../../../ports/event-store.ts"
import type { Quota } from "../../../../../ports/quota.ts"
import type { ReadModels } from "../../../../../ports/read-models.ts"
import { layerEventStoreMemory } from "../../../../support/memory-event-store.ts"
import { type RedisServer, startRedisServer } from "../../../../support/redis-server.ts"
import { onceForFile } from "./given-redis.ts"
import { appendBranch, appendCharge, count, recount, reservation, startQuota, whileTimePasses } from "./given-quota.ts"
import { runs } from "../../../../support/runs.ts"

/** A small limit, so that faults appear within a few steps. */
const LIMIT = 1

describe("the quota of two processes on one Redis", () => {
  const server = onceForFile(startRedisServer())

  it.effect.prop(
    "never charges more than the limit, for any order of operations, repetitions and lost answers",
    [Schema.Array(Step).check(Schema.isMinLength(15))],
    ([steps]) =>
      Effect.gen(function* () {
        const world = yield* givenWorld(server())
        for (const { id, kind, process } of steps) {
          yield* world[kind](process === 0 ? world.one : world.other, id)
          assert.isAtMost(world.charged.size + world.holders.size, LIMIT)
        }
        // After all charges are counted and all units released, exactly the remaining quota is admitted.
        for (const id of world.holders) yield* world.one.quota.release(world.wanted(id))
        yield* count(world.one.models)
        for (const id of world.unanswered) yield* world.other.quota.release(world.wanted(id))
        let left = LIMIT - world.charged.size
        for (const id of ["n1", "n2"]) {
          const answer = yield* whileTimePasses(world.other.quota.reserve(world.wanted(id)))
          assert.strictEqual(answer, left-- > 0 ? "reserved" : "exceeded")
        }
      }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layerEventStoreMemory))),
    { arbitrary: { runs: runs(30), size: 40 } }
  )
})

const Step = Schema.Struct({
  kind: Schema.Literals([
    ...["reserve", "reserve", "reserve", "charge", "charge"] as const,
    ...["reserve, answer lost", "release", "the month ends"] as const,
    ...["count one", "count all", "recount", "Redis is emptied", "model is cleared"] as const
  ]),
  process: Schema.Literals([0, 1]),
  id: Schema.Literals(["r1", "r2", "r3"])
})

interface Process {
  readonly quota: Quota["Service"]
  readonly models: ReadModels["Service"]
}

type Run = (process: Process, id: string) => Effect.Effect<unknown, unknown, EventStore>

/** Two processes, and the true holders and charges. */
const givenWorld = Effect.fnUntraced(function* (server: RedisServer) {
  yield* server.command("FLUSHALL")
  yield* appendBranch
  const [one, other] = [
    yield* startQuota(server.url, { gracePeriod: 0 }),
    yield* startQuota(server.url, { gracePeriod: 0 })
  ]
  yield* count(one.models)
  const holders = new Set<string>()
  const charged = new Set<string>()
  /** Reservations whose answer was lost. They may hold a unit. */
  const unanswered = new Set<string>()
  let months = 0
  const inMonth = () => `month ${months}`
  const wanted = (id: string) => reservation(id, LIMIT, inMonth())

  const charge = Effect.fnUntraced(function* (id: string) {
    if (!holders.delete(id)) return
    charged.add(id)
    yield* appendCharge(id, inMonth())
  })
  const reserve = ({ quota }: Process, id: string) =>
    whileTimePasses(quota.reserve(wanted(id))).pipe(
      Effect.catchTag("QuotaError", ({ reason }) => Effect.succeed(reason))
    )

  const steps = {
    "reserve": Effect.fnUntraced(function* (process, id) {
      if ((yield* reserve(process, id)) !== "reserved") return
      unanswered.delete(id)
      if (!charged.has(id)) holders.add(id)
    }),
    "reserve, answer lost": (process, id) => {
      unanswered.add(id)
      return reserve(process, id)
    },
    "charge": () => Effect.forEach(holders, charge),
    "release": ({ quota }, id) => {
      if (charged.has(id)) return Effect.void
      holders.delete(id)
      return quota.release(wanted(id))
    },
    "count one": ({ models }) => count(models, 1),
    "count all": ({ models }) => count(models),
    "recount": ({ models }) => recount(models),
    "model is cleared": ({ models }) => models.clear("quota.v1", beginning),
    "the month ends": () =>
      Effect.sync(() => {
        months++
        for (const ids of [holders, charged, unanswered]) ids.clear()
      }),
    // During the grace period after the loss, every holder appends its charge or dies.
    "Redis is emptied": Effect.fnUntraced(function* (_, id) {
      yield* server.command("FLUSHALL")
      unanswered.clear()
      for (const holder of Array.from(holders)) {
        if (holder === id) holders.delete(id)
        else yield* charge(holder)
      }
    })
  } satisfies Record<string, Run>
  return { ...steps, wanted, one, other, holders, charged, unanswered }
})
