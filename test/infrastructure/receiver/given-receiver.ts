import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { eventually } from "../../support/eventually.ts"

const main = fileURLToPath(new URL("../../../infrastructure/main.ts", import.meta.url))

/** `sliptrail receiver` as a process. */
export interface GivenReceiver {
  /** What it printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends a signal and gives the exit code, null when the signal itself ended it. */
  readonly stop: (signal: "SIGINT" | "SIGTERM") => Effect.Effect<number | null>
}

/** Starts it on a free port, on the runtime that runs the test, and waits until it has said where it is. */
export const startReceiver = Effect.fnUntraced(function* (
  folder: string,
  args: ReadonlyArray<string> = []
): Effect.fn.Return<GivenReceiver, never, Scope.Scope> {
  let stdout = ""
  let stderr = ""
  const { child, ended } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const runtime = "Deno" in globalThis ? ["run", "-A"] : []
      const command = [main, "receiver", "--port", "0", "--folder", folder, ...args]
      const child = spawn(process.execPath, [...runtime, ...command], {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
        stdio: ["ignore", "pipe", "pipe"]
      })
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
    (text) => text.includes("callbackUrl") && text.endsWith("\n")
  ).pipe(Effect.orDie)
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    // Not child.kill: after it Deno reports the exit as one by the signal, whatever the exit code was.
    stop: (signal) =>
      Effect.promise(() => {
        process.kill(child.pid ?? 0, signal)
        return ended
      })
  }
})
