import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, ConfigProvider, Console, Effect, Layer } from "effect"
import { CliError, Command } from "effect/cli"
import { readFileSync } from "node:fs"
import { app } from "./cli/app.ts"
import { teardown } from "./cli/exit.ts"
import { layerLogging } from "./runtime/logging.ts"
import { environment } from "./settings.ts"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }

/** What went wrong, in one line for the person who typed the command; the help of a wrong use is printed already. */
const explain = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(error)) return Effect.void
  const isExpected = cause.reasons.every(Cause.isFailReason)
  return Console.error(isExpected && error instanceof Error ? `sliptrail: ${error.message}` : Cause.pretty(cause))
}

Command.run(app, { version }).pipe(
  Effect.tapCause(explain),
  Effect.provide(Layer.mergeAll(
    NodeServices.layer,
    ConfigProvider.layer(environment(process.env)),
    layerLogging({ logFormat: undefined, logLevel: "warn" }, process.stderr.isTTY)
  )),
  NodeRuntime.runMain({ teardown, disableErrorReporting: true })
)
