import { NodeServices } from "@effect/platform-node"
import { ConfigProvider, Console, Effect, Layer, Logger } from "effect"
import { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { loadApp } from "../../infrastructure/commands/cli/app.ts"
import { describeFailure, exitCode } from "../../infrastructure/commands/cli/exit.ts"
import { layerUsage } from "../../infrastructure/commands/cli/usage.ts"
import type { Ended } from "./command.ts"
import type { Env } from "./service.ts"

const runCommand = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Env) {
  const console = yield* TestConsole.make
  const app = yield* loadApp(args)
  const exit = yield* Command.runWith(app, { version: "0.0.0" })(args).pipe(
    Effect.tapCause((cause) => {
      const text = describeFailure(cause)
      return text === undefined ? Effect.void : Console.error(text)
    }),
    Effect.exit,
    Effect.provide(Layer.mergeAll(
      NodeServices.layer,
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)),
      Logger.layer([]),
      layerUsage
    )),
    Effect.provideService(Console.Console, console)
  )
  const ended: Ended = {
    code: exitCode(exit),
    stdout: (yield* console.logLines).join("\n"),
    stderr: (yield* console.errorLines).join("\n")
  }
  return ended
})

/**
 * Runs a command in this process, because a new process takes a second. The command does not get the layers of a
 * service that the test runs. Needs the real clock.
 */
export const run = (args: ReadonlyArray<string>, env: Env = {}): Effect.Effect<Ended> =>
  Effect.promise((signal) => Effect.runPromise(runCommand(args, env), { signal }))

/** Runs a command that must succeed, and reads the JSON that it prints. */
export const runJson = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Env = {}) {
  const { code, stderr, stdout } = yield* run([...args, "--json"], env)
  if (code !== 0) return yield* Effect.die(new Error(`${args.join(" ")} ended with ${code}: ${stderr}`))
  return JSON.parse(stdout)
})
