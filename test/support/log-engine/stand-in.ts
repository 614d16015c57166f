import { Effect, Scope } from "effect"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { type ServerProcess, startServerProcess } from "../eventstore-server/process.ts"
import { freePort } from "../redis-server.ts"
import { temporaryFolder } from "../temporary-folder.ts"
import type { LogEngine } from "./log-engine.ts"

/** The stand-in for EventStoreDB, as a process. */
export const startStandIn: Effect.Effect<LogEngine, never, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const [file, copy] = [join(folder, "log.json"), join(folder, "backup.json")]
  const scope = yield* Effect.scope
  // Not a port that the system chooses: until the server starts again, a connection could take it.
  const port = yield* Effect.promise(freePort)
  const launch = startServerProcess("--port", String(port), "--file", file)
  let server: ServerProcess = yield* launch
  const onServer = (act: (server: ServerProcess) => Effect.Effect<void>) => Effect.suspend(() => act(server))
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    kill: onServer(({ kill }) => kill),
    start: Effect.map(Effect.provideService(launch, Scope.Scope, scope), (started) => {
      server = started
    }),
    signal: (name) => onServer(({ signal }) => signal(name)),
    delete: (stream) => onServer((server) => server.delete(stream)),
    softDelete: (stream) => onServer(({ softDelete }) => softDelete(stream)),
    truncate: (stream, before) => onServer(({ truncate }) => truncate(stream, before)),
    limit: (stream, limits) => onServer(({ limit }) => limit(stream, limits)),
    denyAppends: onServer(({ faults }) => faults({ denyAppends: Number.MAX_SAFE_INTEGER })),
    allowAppends: onServer(({ faults }) => faults({})),
    backup: Effect.sync(() => copyFileSync(file, copy)),
    restore: Effect.sync(() => copyFileSync(copy, file))
  }
})
