import { Effect } from "effect"
import { open } from "node:fs/promises"
import { type CommandFailed, cannotRun } from "../exit.ts"
import type { Format } from "./format.ts"
import { dropTornLine, type Found } from "./torn-line.ts"

/** Where an export goes. */
export interface Target {
  /** What is there of an earlier export, its last whole line; undefined when it begins anew. */
  readonly last: string | undefined
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
  return { last: undefined, isBegun: false, write, finish: Effect.void } satisfies Target
})

/** Personal data, sealed or not, is its owner's to read alone. */
const MODE = 0o600

const refused = (file: string) => (cause: unknown): CommandFailed =>
  cannotRun(`${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)

/**
 * A file. One that is there is gone on with, behind its last whole line; one that is no export of this format is left
 * as it is.
 */
export const toFile = Effect.fnUntraced(function*(file: string, format: Format) {
  const told = refused(file)
  const attempt = <A>(run: () => Promise<A>) => Effect.uninterruptible(Effect.tryPromise({ try: run, catch: told }))

  const handle = yield* Effect.acquireRelease(
    // Neither cut nor appended to before it is known to be an export: opened like this it may be new or old.
    attempt(async () => await open(file, "wx+", MODE).catch(() => open(file, "r+"))),
    (handle) => Effect.ignore(attempt(() => handle.close()))
  )
  const found: Found = yield* attempt(() => dropTornLine(handle, format))
  if (found._tag === "Foreign") {
    return yield* cannotRun(
      `${file} is there and is no export in this format, so it is left as it is: name another file`
    )
  }
  let { size } = found
  const write: Target["write"] = (lines) =>
    attempt(async () => {
      const bytes = Buffer.from(lines)
      for (let done = 0; done < bytes.length;) {
        done += (await handle.write(bytes, done, bytes.length - done, size + done)).bytesWritten
      }
      size += bytes.length
      return true
    })
  const target: Target = { last: found.last, isBegun: size > 0, write, finish: attempt(() => handle.datasync()) }
  return target
})
