import { EventStoreDBClient } from "@eventstore/db-client"
import { Effect, Redacted, Schedule, type Scope } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { EventStore } from "../../../ports/event-store.ts"
import { layerEventStoreDb } from "../../../infrastructure/adapters/stores/eventstoredb/store.ts"
import type { LogEngine } from "./log-engine.ts"

/** The words that a command for a server understands (docs/beyond-one-machine.md, "Trying a server"). */
type Act = "url" | "empty" | "start" | "kill" | "pause" | "continue" | "deny" | "allow" | "backup" | "restore"

/** A server that the caller operates by a command. */
export const startGivenEngine = (command: string): Effect.Effect<LogEngine, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = (act: Act) =>
      Effect.promise(async () => (await promisify(execFile)(command, [act], { timeout: 60_000 })).stdout.trim())
    const url = yield* run("url")
    const start = Effect.andThen(run("start"), awaitAnswer(url))
    yield* Effect.acquireRelease(Effect.andThen(run("empty"), start), () => run("kill"))
    const client = EventStoreDBClient.connectionString(url)
    yield* Effect.addFinalizer(() => Effect.promise(() => client.dispose()))
    const asOperator = (act: () => Promise<unknown>) => Effect.asVoid(Effect.promise(act))
    return {
      url,
      start,
      kill: Effect.asVoid(run("kill")),
      signal: (name) => Effect.asVoid(run(name === "SIGSTOP" ? "pause" : "continue")),
      delete: (stream) => asOperator(() => client.tombstoneStream(stream)),
      softDelete: (stream) => asOperator(() => client.deleteStream(stream)),
      truncate: (stream, truncateBefore) => asOperator(() => client.setStreamMetadata(stream, { truncateBefore })),
      limit: (stream, { maxAgeMillis, maxCount }) =>
        asOperator(() =>
          client.setStreamMetadata(stream, {
            ...maxCount === undefined ? {} : { maxCount },
            // The server counts whole seconds.
            ...maxAgeMillis === undefined ? {} : { maxAge: Math.ceil(maxAgeMillis / 1_000) }
          })
        ),
      denyAppends: Effect.asVoid(run("deny")),
      allowAppends: Effect.asVoid(run("allow")),
      backup: Effect.asVoid(run("backup")),
      restore: Effect.asVoid(run("restore"))
    }
  })

const awaitAnswer = (url: string) =>
  EventStore.use(({ head }) => head).pipe(
    Effect.provide(layerEventStoreDb({ connectionString: Redacted.make(url), appends: false })),
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo({ times: 300 }))),
    Effect.orDie
  )
