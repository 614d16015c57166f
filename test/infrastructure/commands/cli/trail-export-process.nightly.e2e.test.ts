import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { startSliptrail } from "../../../support/process.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { givenLog } from "./given-log.ts"

/** An export process with its output so far. */
interface Running {
  readonly child: ChildProcess
  readonly stdout: () => Buffer
  readonly stderr: () => string
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

/** Starts an export as a process on the runtime of the test. It is killed when the scope closes. */
const start = (env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): Running => {
      const child = startSliptrail(["trail", "export", ...flags], { env })
      const out: Array<Buffer> = []
      let errors = ""
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
      child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text)
      const ended = once(child, "close").then(([code, signal]) => ({ code, signal }))
      return { child, ended, stdout: () => Buffer.concat(out), stderr: () => errors }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        if (child.exitCode === null && child.signalCode === null) process.kill(child.pid ?? 0, "SIGKILL")
        return ended
      })
  )

const sizeOf = (file: string): number => existsSync(file) ? statSync(file).size : 0

/** Sends a signal when a file has more than `bytes` bytes, unless the process has ended before. */
const signalAt = (running: Running, file: string, bytes: number, signal: "SIGKILL" | "SIGINT") =>
  Effect.promise(async () => {
    let hasEnded = false
    const ended = running.ended.then((end) => {
      hasEnded = true
      return end
    })
    while (!hasEnded && sizeOf(file) <= bytes) await new Promise((resolve) => setImmediate(resolve))
    if (!hasEnded) process.kill(running.child.pid ?? 0, signal)
    return await ended
  })

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").slice(0, -1)

/** Runs an export to its end. Returns its standard output. */
const exportAll = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) {
  const running = yield* start(env, ...flags)
  const { code } = yield* Effect.promise(() => running.ended)
  assert.strictEqual(code, 0, running.stderr())
  return running.stdout()
})

const COUNT = 25_000
/** About 100 MB of text. */
const LARGE = 50_000

describe("sliptrail trail export as a process", () => {
  it.live("completes the same file after several kills", function* () {
    const folder = yield* temporaryFolder
    const env = yield* givenLog(join(folder, "data"), COUNT)
    // As when a service has it open: then exports are not recorded, and leave the log as it is.
    yield* holdDataFolder(env.DATA_DIR)
    for (const format of ["ndjson", "csv"]) {
      const out = join(folder, format)
      const flags = ["--format", format]
      const expected = yield* exportAll(env, ...flags)
      let kills = 0
      for (const part of [0, 0.4]) {
        const running = yield* start(env, ...flags, "--out", out)
        const { signal } = yield* signalAt(running, out, expected.length * part, "SIGKILL")
        if (signal === "SIGKILL") kills++
      }
      assert.isAbove(kills, 0)
      assert.isBelow(sizeOf(out), expected.length)
      yield* exportAll(env, ...flags, "--out", out)
      assert.isTrue(readFileSync(out).equals(expected), format)
    }
  })

  it.live("exits with 0 and prints nothing when its standard output is closed while it writes", function* () {
    const env = yield* givenLog(join(yield* temporaryFolder, "data"), COUNT / 5)
    const running = yield* start(env)
    const { child } = running
    yield* Effect.promise(() => once(child.stdout ?? child, "data"))
    child.stdout?.destroy()
    const { code, signal } = yield* Effect.promise(() => running.ended)
    assert.deepStrictEqual({ code, signal, stderr: running.stderr() }, { code: 0, signal: null, stderr: "" })
  })

  it.live("is stopped by SIGINT after a whole line, names the position to continue after, and exits with 2", function* () {
    const folder = yield* temporaryFolder
    const env = yield* givenLog(join(folder, "data"), LARGE, 600)
    yield* holdDataFolder(env.DATA_DIR)
    const out = join(folder, "out")
    const running = yield* start(env, "--out", out)
    const { code } = yield* signalAt(running, out, 0, "SIGINT")
    assert.strictEqual(code, 2)
    const stopped =
      /^sliptrail: stopped after (\d+) events, up to position (\d+\/\d+): continue with --after and that position/mu
        .exec(running.stderr())
    const [, count, position] = stopped ?? []
    const text = readFileSync(out, "utf8")
    assert.isTrue(text.endsWith("}\n"))
    const lines = linesOf(text)
    assert.strictEqual(String(lines.length), count, running.stderr())
    assert.strictEqual(JSON.parse(lines.at(-1) ?? "{}").position, position)

    // The rest of the log is 100 MB of text. The heap holds a few pages of it.
    const limit = "--max-old-space-size=96"
    const limited = "Deno" in globalThis ? { ...env, DENO_V8_FLAGS: limit } : { ...env, NODE_OPTIONS: limit }
    const remaining = yield* exportAll(limited, "--after", position ?? "")
    assert.lengthOf(linesOf(remaining.toString()), LARGE - lines.length)
  })
})
