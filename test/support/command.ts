import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Env } from "./service.ts"

const main = fileURLToPath(new URL("../../infrastructure/main.ts", import.meta.url))

/** What a command came to. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What a process that was started just now comes to. */
export const endOf = async (child: ChildProcess): Promise<Ended> => {
  const said = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (text: string) => said.stdout += text)
  child.stderr?.setEncoding("utf8").on("data", (text: string) => said.stderr += text)
  const [code] = await once(child, "close")
  return { code: typeof code === "number" ? code : null, ...said }
}

/**
 * Runs `sliptrail` as a process, on the runtime that runs the test, with these settings alone, and waits for its end.
 * `cwd` is where `.env` is looked for; with `reads` false its pipes are closed before it writes, as `| head` does. It is killed when the test gives up on it.
 */
export const sliptrail = (
  args: ReadonlyArray<string>,
  { cwd, env = {}, reads = true }: { readonly cwd: string; readonly env?: Env; readonly reads?: boolean }
): Effect.Effect<Ended> =>
  Effect.promise((signal) => {
    const runtime = "Deno" in globalThis ? ["run", "-A"] : []
    const child = spawn(process.execPath, [...runtime, main, ...args], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    signal.addEventListener("abort", () => child.kill("SIGKILL"))
    if (!reads) { for (const pipe of [child.stdout, child.stderr]) pipe.destroy() }
    return endOf(child)
  })
