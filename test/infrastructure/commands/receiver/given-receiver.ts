import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { eventually } from "../../../support/eventually.ts"
import { startSliptrail } from "../../../support/process.ts"

/** `sliptrail receiver` or `sliptrail vendor-mock` as a process. */
export interface GivenReceiver {
  /** Its output so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends a signal. Returns the exit code, or null when the signal killed the process. */
  readonly stop: (signal: "SIGINT" | "SIGTERM") => Effect.Effect<number | null>
}

/** Starts a receiver on a free port, on the runtime of the test, and waits until it has printed its address. */
export const startReceiver = (folder: string, args: ReadonlyArray<string> = []) =>
  startTestServer("receiver", folder, args, "callbackUrl")

/** Starts the command of a test server on a free port, and waits until it has printed this word. */
export const startTestServer = Effect.fnUntraced(function* (
  command: "receiver" | "vendor-mock",
  folder: string,
  args: ReadonlyArray<string>,
  printed: string
): Effect.fn.Return<GivenReceiver, never, Scope.Scope> {
  let stdout = ""
  let stderr = ""
  const { child, ended } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = startSliptrail([command, "--port", "0", "--folder", folder, ...args], { env: {} })
      child.stdout.setEncoding("utf8").on("data", (text: string) => stdout += text)
      child.stderr.setEncoding("utf8").on("data", (text: string) => stderr += text)
      return { child, ended: once(child, "close").then(([code]) => typeof code === "number" ? code : null) }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        if (child.exitCode === null && child.signalCode === null) process.kill(child.pid ?? 0, "SIGKILL")
        return ended
      })
  )
  yield* eventually(
    Effect.suspend(() => child.exitCode === null ? Effect.succeed(stdout) : Effect.die(new Error(stderr))),
    (text) => text.includes(printed) && text.endsWith("\n")
  ).pipe(Effect.orDie)
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    // Does not use child.kill, because Deno then reports an exit by the signal, regardless of the exit code.
    stop: (signal) =>
      Effect.promise(() => {
        process.kill(child.pid ?? 0, signal)
        return ended
      })
  }
})
