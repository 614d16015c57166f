import { Layer, Logger, type LogLevel, References } from "effect"
import type { Settings } from "../settings/settings.ts"

const levels: Readonly<Record<Settings["logLevel"], LogLevel.LogLevel>> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

/** Logs to standard error, separate from the output of commands: pretty on a terminal, otherwise JSON lines. */
export const layerLogging = (settings: Pick<Settings, "logFormat" | "logLevel">, isTerminal: boolean) => {
  const format = settings.logFormat ?? (isTerminal ? "pretty" : "json")
  return Layer.mergeAll(
    // Logger.consoleJson ignores LogToStderr and writes to standard output.
    Logger.layer([format === "json" ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty()]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel])
  )
}
