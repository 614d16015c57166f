import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { BroadcastChannel } from "node:worker_threads"
import { layerSlipReader, type SlipReaderOptions } from "../../../../infrastructure/adapters/pictures/slip-reader.ts"
import { SlipReader } from "../../../../ports/slip-reader.ts"
import { NATIVE_CALLS, STUCK } from "./native-calls.ts"

const picture = (content: string) => new TextEncoder().encode(`GIF89a${content}`)

const read = (content: string, branchId: string) =>
  SlipReader.use((reader) => reader.read(picture(content), branchId)).pipe(
    Effect.match({ onSuccess: () => "read", onFailure: ({ reason }) => reason })
  )

const reader = (options: Partial<SlipReaderOptions> = {}) =>
  Effect.provide(layerSlipReader({
    reader: "native",
    script: new URL("./slip-reader-native-thread.ts", import.meta.url),
    maxWaiting: 0,
    ...options
  }))

/**
 * Talks to the reading threads that wait in native code. It stays open for all tests: on Deno, the second channel of a name
 * that was closed gets no messages.
 */
const channel = new BroadcastChannel(NATIVE_CALLS)
afterAll(() => channel.close())

const nativeCalls = Effect.sync(() => {
  let started = 0
  let check = (): void => {}
  channel.onmessage = ({ data }) => {
    if (data === "started") started++
    check()
  }
  const untilStarted = (count: number) =>
    Effect.callback<void>((resume) => {
      check = () => {
        if (started >= count) resume(Effect.void)
      }
      check()
    })
  return { untilStarted }
})

/** Two pictures of each branch exceed the deadline in native code. Returns how the native code ends. */
const stuckPictures = Effect.fnUntraced(function* (branches: ReadonlyArray<string>) {
  const { untilStarted } = yield* nativeCalls
  let started = 0
  for (const branch of branches) {
    const reading = yield* Effect.forEach(
      [1, 2],
      () => Effect.forkChild(read(STUCK, branch), { startImmediately: true })
    )
    started += 2
    yield* untilStarted(started)
    yield* TestClock.adjust("5 seconds")
    for (const fiber of reading) assert.strictEqual(yield* Fiber.join(fiber), "deadline")
  }
  return { end: Effect.sync(() => channel.postMessage("end")) }
})

/** Reads until the reader answers so: the ends of threads have no order. */
const untilOutcome = Effect.fnUntraced(function* (outcome: string, branch: string) {
  while ((yield* read("", branch)) !== outcome) yield* Effect.promise(() => new Promise(setImmediate))
})

const BRANCHES = ["a", "b", "c", "d"]

describe("reading threads that were stopped in native code", () => {
  it.effect("take the places of their own branch until they end, and of no other branch", () =>
    Effect.gen(function* () {
      const { end } = yield* stuckPictures(BRANCHES)
      for (const branch of BRANCHES) assert.strictEqual(yield* read("", branch), "branch-busy")
      for (const branch of ["e", "f", "g"]) assert.strictEqual(yield* read("", branch), "read")

      yield* end
      for (const branch of BRANCHES) yield* untilOutcome("read", branch)
    }).pipe(reader()))

  it.effect("are charged to their branch until they end", () =>
    Effect.gen(function* () {
      const { end } = yield* stuckPictures(["a"])
      yield* TestClock.adjust("50 seconds")
      yield* end
      yield* untilOutcome("over-budget", "a")
      const refused = yield* Effect.flip(SlipReader.use((reader) => reader.read(picture(""), "a")))
      // Each thread took 50 seconds more than the deadline, and the full bucket holds 60.
      assert.strictEqual(refused.retryAfterSeconds, 41)
    }).pipe(reader({ cpuMillisPerMinute: 60_000 })))

  it.effect("delay other branches when there are twelve, and their wait costs them nothing", () =>
    Effect.gen(function* () {
      const { end } = yield* stuckPictures([...BRANCHES, "e", "f"])
      const waiting = yield* Effect.forkChild(read("", "g"), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "deadline")

      yield* end
      yield* untilOutcome("read", "g")
    }).pipe(reader({ cpuMillisPerMinute: 1 })))
})
