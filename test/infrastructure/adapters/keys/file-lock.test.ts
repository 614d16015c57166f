import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { withFileLock } from "../../../../infrastructure/adapters/keys/file-lock.ts"
import { untilDone } from "../../../support/advance-clock.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const given = Effect.gen(function* () {
  const file = join(yield* temporaryFolder, "subjects.key")
  return {
    file,
    lock: `${file}.lock`,
    locked: <A, E>(use: Effect.Effect<A, E>) => withFileLock(file, use, String)
  }
})

describe("a lock file", () => {
  it.effect("of a process that died delays the others by five seconds; then they work one after another", function* () {
    const { file, lock, locked } = yield* given
    writeFileSync(lock, "")
    let working = 0
    const most: Array<number> = []
    const work = Effect.acquireUseRelease(
      Effect.sync(() => void most.push(++working)),
      () => Effect.sleep("100 millis"),
      () => Effect.sync(() => void working--)
    )
    const fibers = yield* Effect.forEach(
      [1, 2, 3, 4, 5],
      () => Effect.forkChild(locked(work), { startImmediately: true })
    )

    yield* TestClock.adjust("4900 millis")
    assert.deepStrictEqual(most, [])
    yield* TestClock.adjust("4 seconds")
    yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(most, [1, 1, 1, 1, 1])
    assert.deepStrictEqual(readdirSync(dirname(file)), [])
  })

  it.effect("is not removed by an earlier owner that was stopped for longer", function* () {
    const { lock, locked } = yield* given
    const stopped = yield* Effect.forkChild(locked(Effect.sleep("7 seconds")), { startImmediately: true })
    const next = yield* Effect.forkChild(locked(Effect.sleep("7 seconds")), { startImmediately: true })

    yield* TestClock.adjust("6 seconds")
    const owner = readFileSync(lock, "utf8")
    yield* untilDone(stopped)
    assert.strictEqual(readFileSync(lock, "utf8"), owner)
    yield* untilDone(next)
    yield* Fiber.join(next)
  })

  it.effect("that others take again and again ends the wait after ten seconds", function* () {
    const { lock, locked } = yield* given
    writeFileSync(lock, "process 0")
    const waiting = yield* Effect.forkChild(Effect.flip(locked(Effect.void)), { startImmediately: true })
    for (let second = 1; second <= 10; second++) {
      yield* TestClock.adjust("1 second")
      writeFileSync(lock, `process ${second}`)
    }
    assert.strictEqual(yield* Fiber.join(waiting), `Error: other processes hold ${lock}`)
  })
})
