import { Cause, Logger, type LogLevel, References } from "effect"
import { inspect } from "node:util"
import { visibleLine } from "../platform/visible-text.ts"

/** SGR codes of a terminal. */
const BOLD = 1
const colors: Readonly<Partial<Record<LogLevel.LogLevel, number>>> = { Debug: 34, Info: 32, Warn: 33, Error: 31 }

const two = (count: number): string => String(count).padStart(2, "0")

/** The local time. */
const timeOf = (date: Date): string =>
  `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${
    String(date.getMilliseconds()).padStart(3, "0")
  }`

/** Every line is indented: a text of several lines cannot look like another entry. */
const indented = (text: string): string => text.split("\n").map((line) => `  ${visibleLine(line)}`).join("\n")

const shown = (value: unknown): string => typeof value === "string" ? value : inspect(value)

/**
 * Log entries for a person at a terminal: the message, and below it the cause, other values and annotations. Texts come
 * from callers and hosts, so control characters in them are shown as escapes. Only the colors reach the terminal.
 */
export const terminalLog = (hasColors: boolean) => {
  const colored = (text: string, code: number): string => hasColors ? `\u001b[${code}m${text}\u001b[0m` : text

  return Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
    const [first, ...more]: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
    const level = colored(logLevel.toUpperCase(), colors[logLevel] ?? BOLD)
    return [
      `[${timeOf(date)}] ${level} (#${fiber.id}): ${colored(visibleLine(shown(first)), BOLD)}`,
      ...(cause.reasons.length === 0 ? [] : [indented(Cause.pretty(cause))]),
      ...more.map((value) => indented(shown(value))),
      ...Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
        ([name, value]) => `  ${colored(`${visibleLine(name)}:`, BOLD)} ${visibleLine(shown(value))}`
      )
    ].join("\n")
  })
}
