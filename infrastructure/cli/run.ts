import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { app } from "./app.ts"
import { teardown } from "./exit.ts"
import { explain } from "./explain.ts"
import { layerUsage } from "./usage.ts"
import { layerLogging } from "../runtime/logging.ts"
import { version } from "../runtime/version.ts"
import { environment } from "../settings/settings.ts"

// `| head` reads no further: that is no fault of the command's, whose exit code says what came of it. Nobody would hear
// of it otherwise, and the process would end with an error of its own.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EPIPE") process.exitCode = 2
  })
}

Command.run(app, { version }).pipe(
  Effect.tapCause((cause) => {
    const text = explain(cause)
    return text === undefined ? Effect.void : Console.error(text)
  }),
  Effect.provide(Layer.mergeAll(
    NodeServices.layer,
    ConfigProvider.layer(environment(process.env)),
    layerLogging({ logFormat: undefined, logLevel: "warn" }, process.stderr.isTTY),
    layerUsage
  )),
  NodeRuntime.runMain({ teardown, disableErrorReporting: true })
)
