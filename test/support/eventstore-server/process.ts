import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Faults } from "./faults.ts"
import type { StreamLimits } from "./log.ts"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

export interface ServerProcess {
  readonly port: number
  readonly pid: number
  /** Sets these faults and clears all others. */
  readonly faults: (faults: Partial<Faults>) => Effect.Effect<void>
  readonly cut: Effect.Effect<void>
  /** Appends events of another program. */
  readonly foreign: (stream: string, count: number) => Effect.Effect<void>
  /** Removes the events of a stream before a revision. */
  readonly truncate: (stream: string, before: number) => Effect.Effect<void>
  /** Sets `$maxCount` or `$maxAge` of a stream. */
  readonly limit: (stream: string, limits: StreamLimits) => Effect.Effect<void>
  /** Deletes a stream until the next append. */
  readonly softDelete: (stream: string) => Effect.Effect<void>
  /** Deletes a stream for ever. */
  readonly delete: (stream: string) => Effect.Effect<void>
  /** Stops or continues the process. */
  readonly signal: (name: "SIGSTOP" | "SIGCONT") => Effect.Effect<void>
  /** Sends SIGKILL and waits for the end. */
  readonly kill: Effect.Effect<void>
}

/**
 * The server always runs on Node: HTTP/2 servers on Deno 2.9 fail an assertion when clients disconnect at certain
 * moments. The Node that npm installed is tried first.
 */
const node = (() => {
  const bundled = fileURLToPath(
    new URL(`../../../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url)
  )
  if (!("Deno" in globalThis)) return process.execPath
  return existsSync(bundled) ? bundled : "node"
})()

/** Starts the server as a process, which ends with the scope. The flags are those of `main.ts`. */
export const startServerProcess = (
  ...flags: ReadonlyArray<string>
): Effect.Effect<ServerProcess, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(node, [main, "--with-parent", ...flags], { stdio: ["ignore", "pipe", "inherit"] })),
      (started) => kill(started)
    )
    const { control: controlPort, port } = yield* Effect.promise(() => portsOf(child))
    const control = (path: string, body: object = {}) =>
      Effect.promise(async () => {
        const init = { method: "POST", body: JSON.stringify(body) }
        const response = await fetch(`http://127.0.0.1:${controlPort}${path}`, init)
        await response.body?.cancel()
        if (!response.ok) throw new Error(`the server refused ${path}: ${response.status}`)
      })
    return {
      port,
      pid: child.pid ?? 0,
      faults: (faults) => control("/faults", faults),
      cut: control("/cut"),
      foreign: (stream, count) => control("/foreign", { stream, count }),
      truncate: (stream, before) => control("/truncate", { stream, before }),
      limit: (stream, limits) => control("/limit", { stream, ...limits }),
      softDelete: (stream) => control("/soft-delete", { stream }),
      delete: (stream) => control("/delete", { stream }),
      // Not child.kill: Deno would treat the child as ended.
      signal: (name) =>
        Effect.sync(() => {
          process.kill(child.pid ?? 0, name)
        }),
      kill: kill(child)
    }
  })

const kill = (child: ChildProcess): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

const portsOf = (child: ChildProcess): Promise<{ readonly port: number; readonly control: number }> =>
  new Promise((resolve, reject) => {
    let text = ""
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      text += part
      if (text.includes("\n")) resolve(JSON.parse(text))
    })
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })
