import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { ConfigProvider, Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { readFileSync } from "node:fs"
import { app } from "./cli/app.ts"
import { teardown } from "./cli/exit.ts"
import { explain } from "./cli/explain.ts"
import { layerUsage } from "./cli/usage.ts"
import { layerLogging } from "./runtime/logging.ts"
import { environment } from "./settings.ts"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }

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
