import { Layer, Logger, type LogLevel, References } from "effect"
import type { Settings } from "../platform/settings/settings.ts"
import { terminalLog } from "./terminal-log.ts"

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
    Logger.layer([Logger.withConsoleError(format === "json" ? Logger.formatJson : terminalLog(isTerminal))]),
    Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel])
  )
}
