import { Effect } from "effect"
import { open } from "node:fs/promises"
import { cannotRun, type CommandFailed } from "../exit.ts"
import type { Format } from "./format.ts"
import { type Ends, findLines, type Found } from "./torn-line.ts"

/** Where an export goes. */
export interface Target {
  readonly name: string
  /** What is there of an earlier export, its first and its last whole line; undefined when it begins anew. */
  readonly lines: Ends | undefined
  /** Whether what an export begins with is there. */
  readonly isBegun: boolean
  /**
   * Writes whole lines, and returns once they are handed over; false when nobody reads on. It is never interrupted, so
   * that no line is cut.
   */
  readonly write: (lines: string) => Effect.Effect<boolean, CommandFailed>
  /** Nothing more comes: what was written is on the disk when this returns. */
  readonly finish: Effect.Effect<void, CommandFailed>
}

const isClosed = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "EPIPE"

/** Standard output, for as long as somebody reads it: `| head` ends an export well. */
export const toStandardOutput: Effect.Effect<Target> = Effect.sync(() => {
  const { stdout } = process
  // Whoever writes is told too, and before; without somebody who listens it would end the process.
  stdout.on("error", () => {})
  const write: Target["write"] = (lines) =>
    Effect.uninterruptible(Effect.callback((resume) => {
      stdout.write(lines, (cause) => {
        if (cause === null || cause === undefined) return resume(Effect.succeed(true))
        resume(
          isClosed(cause)
            ? Effect.succeed(false)
            : Effect.fail(cannotRun(`standard output cannot be written: ${cause.message}`))
        )
      })
    }))
  const name = "standard output"
  return { name, lines: undefined, isBegun: false, write, finish: Effect.void } satisfies Target
})

/** Personal data, sealed or not, is its owner's to read alone. */
const MODE = 0o600

const refused = (file: string) => (cause: unknown): CommandFailed =>
  cannotRun(`${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)

/** What is there is left as it is. */
export const leftAlone = (file: string, what: string) =>
  cannotRun(`${file} is there, ${what}: name another --out, or delete it first`)

/**
 * A file. One that is there is gone on with, behind its last whole line; one that is no export of this format is left
 * as it is. What stands behind that line has to be the beginning of what is written there: a line that was torn.
 */
export const toFile = Effect.fnUntraced(function* (file: string, format: Format) {
  const told = refused(file)
  const attempt = <A>(run: () => Promise<A>) => Effect.uninterruptible(Effect.tryPromise({ try: run, catch: told }))

  const handle = yield* Effect.acquireRelease(
    // Neither cut nor appended to before it is known to be an export: opened like this it may be new or old.
    attempt(async () => await open(file, "wx+", MODE).catch(() => open(file, "r+"))),
    (handle) => Effect.ignore(attempt(() => handle.close()))
  )
  if (!(yield* attempt(() => handle.stat())).isFile()) {
    return yield* cannotRun(`${file} is no file: name one, or have standard output without --out`)
  }
  const found: Found = yield* attempt(() => findLines(handle, format))
  if (found._tag === "Foreign") {
    return yield* leftAlone(file, `and is no ${format.name} export of this version`)
  }
  let { end: size, torn } = found
  const notTorn = leftAlone(file, "and what stands behind its last whole line is not what this command writes there")
  const write: Target["write"] = Effect.fnUntraced(function* (lines) {
    const bytes = Buffer.from(lines)
    if (!bytes.subarray(0, torn.length).equals(torn)) return yield* notTorn
    yield* attempt(async () => {
      for (let done = 0; done < bytes.length;) {
        done += (await handle.write(bytes, done, bytes.length - done, size + done)).bytesWritten
      }
    })
    size += bytes.length
    torn = Buffer.alloc(0)
    return true
  })
  const finish = Effect.andThen(
    Effect.suspend(() => torn.length > 0 ? Effect.fail(notTorn) : Effect.void),
    attempt(() => handle.datasync())
  )
  const target: Target = { name: file, lines: found.lines, isBegun: size > 0, write, finish }
  return target
})
