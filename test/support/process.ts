import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../infrastructure/main.ts", import.meta.url))

/** Starts `sliptrail` as a process, on the runtime of the test, with only these settings. */
export const startSliptrail = (
  args: ReadonlyArray<string>,
  { cwd, env, wrapper = [] }: {
    readonly cwd?: string
    readonly env: Readonly<Record<string, string | undefined>>
    /** A command that runs the process, such as `setpriv`. */
    readonly wrapper?: ReadonlyArray<string>
  }
): ChildProcessByStdio<null, Readable, Readable> => {
  const runtime = "Deno" in globalThis ? ["run", "-A"] : []
  const [command = "", ...commandArgs] = [...wrapper, process.execPath, ...runtime, main, ...args]
  // The compile cache of the tests (vitest.config.ts) saves a sixth of a start.
  const { HOME, NODE_COMPILE_CACHE, PATH } = process.env
  return spawn(command, commandArgs, {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd })
  })
}
