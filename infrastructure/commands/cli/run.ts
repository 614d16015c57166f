import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { loadApp } from "./app.ts"
import { painted } from "./colors.ts"
import { layerUsage } from "./usage.ts"
import { layerLogging } from "../../runtime/logging.ts"
import { version } from "../../runtime/version.ts"
import { environment } from "../../platform/settings/settings.ts"
import { describeFailure, teardown } from "./exit.ts"

// A reader such as `head` may close the pipe early. That is not an error of the command. Without this listener the
// process would end with an uncaught error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EPIPE") process.exitCode = 2
  })
}

loadApp(process.argv.slice(2)).pipe(
  Effect.flatMap((app) => Command.run(app, { version })),
  Effect.tapCause((cause) => {
    const text = describeFailure(cause)
    return text === undefined
      ? Effect.void
      : Console.error(text.replace(/^sliptrail:/u, (name) => painted("bad", name, process.stderr)))
  }),
  Effect.provide(Layer.mergeAll(
    NodeServices.layer,
    ConfigProvider.layer(environment(process.env)),
    layerLogging({ logFormat: undefined, logLevel: "warn" }, process.stderr.isTTY),
    layerUsage
  )),
  NodeRuntime.runMain({ teardown, disableErrorReporting: true })
)
