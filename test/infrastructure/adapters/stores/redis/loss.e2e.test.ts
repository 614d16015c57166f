import { assert, describe, it } from "../../../../support/it.ts"
import { Context, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { beginning, formatPosition } from "../../../../../domain/events/recorded-event.ts"
import { ReadModels } from "../../../../../ports/read-models.ts"
import { layerRedisConnection } from "../../../../../infrastructure/adapters/stores/redis/connection.ts"
import { layerReadModelsRedis } from "../../../../../infrastructure/adapters/stores/redis/read-models.ts"
import { addMember, at, model, setFields } from "../../../../contracts/read-models-given.ts"
import { startCuttingProxy } from "../../../../support/cutting-proxy.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { eventuallyHolds } from "../../../../support/eventually.ts"
import { onceForFile, patientConnection } from "./given-redis.ts"

const server = onceForFile(startRedisServer())

describe("read models during a loss of Redis", () => {
  it.live("apply a batch once although its answer was lost and it is repeated", function* () {
    yield* server().command("FLUSHALL")
    const proxy = yield* startCuttingProxy(server().port)
    const models = yield* modelsAt(`redis://127.0.0.1:${proxy.port}`)
    yield* models.apply(model, { after: beginning, upTo: at(1), writes: [addMember("due", "j1", 1)] })

    yield* server().command("CONFIG", "RESETSTAT")
    yield* proxy.swallowNext
    const batch = { after: at(1), upTo: at(2), writes: [addMember("due", "j2", 1)] }
    const error = yield* Effect.flip(models.apply(model, batch))
    assert.strictEqual(error.reason, "unavailable")

    yield* eventuallyHolds(succeeds(models.checkpoint(model)))
    assert.match(String(yield* server().command("INFO", "commandstats")), /cmdstat_hset:calls=1,/u)
    assert.deepStrictEqual(yield* models.apply(model, batch), at(2))
    assert.strictEqual(yield* models.count(model, "due"), 2)
    assert.match(String(yield* server().command("INFO", "commandstats")), /cmdstat_hset:calls=1,/u)
  })

  it.live("fail with timeout while the server hangs, and work again afterwards", function* () {
    yield* server().command("FLUSHALL")
    const models = yield* modelsAt(server().url)
    yield* models.apply(model, { after: beginning, upTo: at(1), writes: [] })
    // On a slow machine, a server that does not hang may exceed the limit too.
    const impatient = yield* Effect.eventually(impatientModelsAt(server().url))
    const error = yield* Effect.acquireUseRelease(
      server().pause,
      () => Effect.flip(impatient.checkpoint(model)),
      () => server().resume
    )
    assert.strictEqual(error.reason, "timeout")
    assert.deepStrictEqual(yield* Effect.eventually(impatient.checkpoint(model)), at(1))
  })

  it.live("are available after a kill of a persistent server, with one log line for the loss and one for the return", function* () {
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${message}`))])
    const durable = yield* startRedisServer({ appendonly: true })
    const models = yield* modelsAt(durable.url, logger)
    yield* models.apply(model, { after: beginning, upTo: at(1), writes: [setFields("jobs", "j1", { n: 1 })] })

    yield* durable.stop("SIGKILL")
    yield* eventuallyHolds(
      Effect.map(Effect.flip(models.checkpoint(model)), ({ reason }) => reason === "unavailable")
    )
    yield* durable.start
    yield* eventuallyHolds(succeeds(models.checkpoint(model)))
    assert.deepStrictEqual(yield* models.get(model, "jobs", "j1"), { n: 1 })
    assert.deepStrictEqual(logged.map((line) => line.replace(/: .*/u, "")), [
      `Warn Connection to Redis at 127.0.0.1:${durable.port} lost`,
      `Info Connection to Redis at 127.0.0.1:${durable.port} is back`
    ])
  })

  it.live("are not readable after a kill of a server without persistence until they are rebuilt", function* () {
    const volatile = yield* startRedisServer()
    const models = yield* modelsAt(volatile.url)
    const writes = [addMember("due", "j1", 1)]
    yield* models.apply(model, { after: beginning, upTo: at(7), writes })
    yield* volatile.stop("SIGKILL")
    yield* volatile.start
    yield* eventuallyHolds(succeeds(models.checkpoint(model)))
    assert.propertyVal(yield* Effect.flip(models.count(model, "due")), "reason", "behind")
    yield* models.apply(model, { after: beginning, upTo: at(7), writes })
    assert.strictEqual(yield* models.count(model, "due"), 1)
  })

  it.live("never return an older state while Redis is flushed under a projector", function* () {
    yield* server().command("FLUSHALL")
    const models = yield* modelsAt(server().url)
    // Resumes at the model's checkpoint, like the projector; from the beginning after a loss.
    const project = Effect.gen(function* () {
      let after = yield* models.checkpoint(model)
      while (after.commit < LAST) {
        const upTo = at(after.commit + 1n)
        after = yield* models.apply(model, { after, upTo, writes: [addMember("due", formatPosition(upTo), 1)] })
      }
    })
    let shown = 0
    let refusals = 0
    const read = models.count(model, "due").pipe(
      Effect.map((count) => {
        assert.isAtLeast(count, shown)
        shown = count
      }),
      Effect.catchIf((error) => error.reason === "behind", () => Effect.sync(() => refusals++))
    )
    const projector = yield* Effect.forkChild(project)
    const reader = yield* Effect.forkChild(Effect.forever(read))
    for (const flushAt of [50, 150]) {
      yield* eventuallyHolds(Effect.sync(() => shown >= flushAt))
      yield* server().command("FLUSHALL")
    }
    yield* Fiber.join(projector)
    yield* eventuallyHolds(Effect.sync(() => shown === Number(LAST)))
    yield* Fiber.interrupt(reader)
    assert.isAbove(refusals, 0)
  })

  it.live("work after the server has lost its scripts", function* () {
    yield* server().command("FLUSHALL")
    const models = yield* modelsAt(server().url)
    yield* models.apply(model, { after: beginning, upTo: at(1), writes: [] })
    yield* server().command("SCRIPT", "FLUSH")
    assert.deepStrictEqual(yield* models.apply(model, { after: at(1), upTo: at(2), writes: [] }), at(2))
    assert.deepStrictEqual(yield* models.checkpoint(model), at(2))
  })
})

const LAST = 400n

const modelsOver = (
  connection: ReturnType<typeof layerRedisConnection>,
  logger: Layer.Layer<never> = Logger.layer([])
) =>
  layerReadModelsRedis().pipe(
    Layer.provide(connection),
    Layer.fresh,
    Layer.provide(logger),
    Layer.build,
    Effect.map(Context.get(ReadModels))
  )

const modelsAt = (url: string, logger?: Layer.Layer<never>) => modelsOver(patientConnection(url), logger)

const impatientModelsAt = (url: string) =>
  modelsOver(layerRedisConnection({ url: Redacted.make(url), commandTimeout: "500 millis" }))

const succeeds = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<boolean, never, R> =>
  Effect.match(effect, { onSuccess: () => true, onFailure: () => false })
