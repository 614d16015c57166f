import { Effect, type Scope } from "effect"
import { startGivenEngine } from "./given-engine.ts"
import type { LogEngine } from "./log-engine.ts"
import { startStandIn } from "./stand-in.ts"

/** Starts a server with an empty log, which ends with the scope: the stand-in, or the server of the command in `ENGINE`. */
export const startLogEngine: Effect.Effect<LogEngine, never, Scope.Scope> = Effect.suspend(() => {
  const command = process.env["ENGINE"]
  return command === undefined ? startStandIn : startGivenEngine(command)
})
