import { assert, describe, it } from "../../support/it.ts"
import { Console, Data, Effect, Logger } from "effect"
import { TestConsole } from "effect/testing"
import { layerLogging } from "../../../infrastructure/runtime/logging.ts"
import { terminalLog } from "../../../infrastructure/runtime/terminal-log.ts"

class HostFailed extends Data.TaggedError("HostFailed")<{ readonly message: string }> {}

const hostile = "shop\u001b[2J\u009b1m\u202e\r\n[12:00:00.000] ERROR (#1): forged"

/** The entries of some log lines, without their local times. */
const entries = (logged: Effect.Effect<void>, hasColors = false) => {
  const texts: Array<string> = []
  const logger = Logger.map(terminalLog(hasColors), (text) => void texts.push(text.replace(/^\[[\d:.]{12}\] /u, "")))
  return Effect.as(Effect.provide(logged, Logger.layer([logger])), texts)
}

const isPlain = (text: string): boolean => /^[\n\x20-\x7e]*$/u.test(text)

describe("a log entry for a terminal", () => {
  it.effect("has the message, other values and the annotations", function* () {
    const [entry = ""] = yield* entries(
      Effect.logInfo("Callback sent", { status: 200 }).pipe(Effect.annotateLogs({ job: "j-1", millis: 12 }))
    )
    assert.match(entry, /^INFO \(#\d+\): Callback sent\n {2}\{ status: 200 \}\n {2}job: j-1\n {2}millis: 12$/u)
  })

  it.effect("shows control characters of a message, an annotation, an error and a cause as escapes", function* () {
    const error = new HostFailed({ message: hostile })
    const shown = yield* entries(
      Effect.all([
        Effect.logWarning(hostile),
        Effect.logWarning("refused").pipe(Effect.annotateLogs({ [hostile]: hostile })),
        Effect.logWarning("refused", hostile, error, new Error(hostile)),
        Effect.catchCause(Effect.fail(error), (cause) => Effect.logError("refused", cause))
      ], { discard: true })
    )
    assert.lengthOf(shown, 4)
    for (const entry of shown) {
      assert.isTrue(isPlain(entry), JSON.stringify(entry))
      assert.include(entry, "forged")
      // Each entry has one line that is not indented: its own first line.
      assert.lengthOf(entry.split("\n").filter((line) => !line.startsWith("  ")), 1, entry)
    }
  })

  it.effect("has colors on a terminal only", function* () {
    const [colored = ""] = yield* entries(Effect.logWarning("refused\u001b[2J"), true)
    assert.isTrue(colored.startsWith("\u001b[33mWARN\u001b[0m (#"), colored)
    assert.isTrue(colored.endsWith(": \u001b[1mrefused\\u001b[2J\u001b[0m"), colored)
    const console = yield* TestConsole.make
    yield* Effect.logWarning("refused").pipe(
      Effect.provide(layerLogging({ logFormat: "pretty", logLevel: "info" }, false)),
      Effect.provideService(Console.Console, console)
    )
    assert.match((yield* console.errorLines).join("\n"), /^\[[\d:.]{12}\] WARN \(#\d+\): refused$/u)
  })
})
