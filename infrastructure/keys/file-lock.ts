import { Effect, Schedule } from "effect"
import { closeSync, openSync, rmSync, statSync } from "node:fs"

/** Whoever holds the lock for longer has died with it: what is done under it takes milliseconds. */
const STALE_MILLIS = 30_000

const whileTaken = Schedule.spaced("50 millis").pipe(Schedule.upTo({ times: 200 }))

const take = (lock: string): void => {
  try {
    closeSync(openSync(lock, "wx", 0o600))
  } catch (cause) {
    if (Date.now() - statSync(lock).mtimeMs > STALE_MILLIS) rmSync(lock, { force: true })
    throw cause
  }
}

/**
 * Uses a file while no other process that keeps to this does, be it on another machine with the same volume: beside it
 * lies a lock. Waits for ten seconds, then fails with what stood in the way.
 */
export const whileLocked = <A, E, E2>(
  file: string,
  use: Effect.Effect<A, E>,
  failed: (cause: unknown) => E2
): Effect.Effect<A, E | E2> => {
  const lock = `${file}.lock`
  return Effect.acquireUseRelease(
    Effect.try({ try: () => take(lock), catch: failed }).pipe(Effect.retry(whileTaken)),
    () => use,
    () => Effect.sync(() => rmSync(lock, { force: true }))
  )
}
