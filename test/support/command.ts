import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { startSliptrail } from "./process.ts"
import type { Env } from "./service.ts"

/** The outcome of a command. */
export interface Ended {
  /** Null when a signal ended the command. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Waits for the end of a process that has just been started. */
export const endOf = async (child: ChildProcess): Promise<Ended> => {
  const output = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (text: string) => output.stdout += text)
  child.stderr?.setEncoding("utf8").on("data", (text: string) => output.stderr += text)
  const [code] = await once(child, "close")
  return { code: typeof code === "number" ? code : null, ...output }
}

/**
 * Runs `sliptrail` as a process, on the runtime of the test, with only these settings, and waits for its end. `.env` is
 * read from `cwd`. With `reads` false, its pipes are closed before it writes, as `| head` does. An interruption kills it.
 */
export const sliptrail = (
  args: ReadonlyArray<string>,
  { cwd, env = {}, reads = true }: { readonly cwd: string; readonly env?: Env; readonly reads?: boolean }
): Effect.Effect<Ended> =>
  Effect.promise((signal) => {
    const child = startSliptrail(args, { cwd, env })
    signal.addEventListener("abort", () => child.kill("SIGKILL"))
    if (!reads) { for (const pipe of [child.stdout, child.stderr]) pipe.destroy() }
    return endOf(child)
  })
