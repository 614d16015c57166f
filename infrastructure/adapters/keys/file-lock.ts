import { Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { draftOf, isMissing, withFile } from "../../platform/atomic-file.ts"

/** 200 attempts take ten seconds. */
const attempts = Schedule.spaced("50 millis").pipe(Schedule.upTo({ times: 200 }))

/**
 * After five seconds with one owner the lock belongs to a process that died: the work under it takes milliseconds. Looks
 * are counted, because the clocks of machines differ. The number is below that of `attempts`, so a wait outlasts a dead owner.
 */
const STALE_ATTEMPTS = 100

/**
 * Runs an effect while it holds the lock file `FILE.lock`. The lock also excludes processes on other machines that share
 * the volume. Waits ten seconds for the lock, then fails.
 *
 * A process that stops for more than five seconds loses the lock without notice: `use` must check what it replaces.
 */
export const withFileLock = <A, E, E2>(
  file: string,
  use: Effect.Effect<A, E>,
  onFailure: (cause: unknown) => E2
): Effect.Effect<A, E | E2> =>
  Effect.suspend(() => {
    const lock = `${file}.lock`
    const owner = randomUUID()
    return Effect.acquireUseRelease(
      Effect.try({ try: makeTake(lock, owner), catch: onFailure }).pipe(Effect.retry(attempts)),
      () => use,
      // A lock that stays is stale soon.
      () => Effect.ignore(Effect.try({ try: () => removeLock(lock, owner), catch: onFailure }))
    )
  })

/** Takes the lock, or throws. Counts how often it saw the same owner, and then removes the lock. */
const makeTake = (lock: string, owner: string) => {
  let holder: string | undefined
  let seen = 0
  return (): void => {
    const current = ownerOf(lock)
    if (current === undefined) return createLock(lock, owner)
    seen = current === holder ? seen + 1 : 1
    holder = current
    if (seen > STALE_ATTEMPTS) removeLock(lock, current)
    throw new Error(`other processes hold ${lock}`)
  }
}

const createLock = (lock: string, owner: string): void =>
  withFile(lock, "wx", 0o600, (handle) => {
    try {
      writeFileSync(handle, owner)
    } catch (cause) {
      rmSync(lock, { force: true })
      throw cause
    }
  })

/** Undefined when there is no lock. */
const ownerOf = (lock: string): string | undefined => {
  try {
    return readFileSync(lock, "utf8")
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw cause
  }
}

/**
 * Removes the lock of one owner. Another process can replace the lock after any look at it. So the lock gets a name that
 * only this process uses before its owner is checked, and a lock of another owner is put back.
 */
const removeLock = (lock: string, owner: string): void => {
  if (ownerOf(lock) !== owner) return
  const aside = draftOf(lock)
  renameSync(lock, aside)
  if (ownerOf(aside) !== owner) linkSync(aside, lock)
  rmSync(aside)
}
