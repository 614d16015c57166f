import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { layerEventStoreDb } from "../../infrastructure/adapters/stores/eventstoredb/store.ts"
import { projections } from "../../projections/models/all.ts"
import { eventually } from "./eventually.ts"
import { run } from "./in-process.ts"
import type { LoadAnswer } from "./load.ts"
import type { SharedEngines } from "./shared-engines.ts"

/** All events of the log. */
export const allEvents = ({ env }: SharedEngines) =>
  EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000_000 })).pipe(
    Effect.provide(layerEventStoreDb({ connectionString: Redacted.make(env["EVENTSTORE_URL"] ?? "") }))
  )

/** The events of all slips. */
export const slipEvents = (engines: SharedEngines) =>
  Effect.map(allEvents(engines), (events) => events.filter(({ stream }) => stream.startsWith("slip-")))

/**
 * Asserts that each answered verification is in the log and each slip was verified first once. No more than the quota
 * may be charged.
 */
export const assertNothingLost = Effect.fnUntraced(function* (
  engines: SharedEngines,
  answers: ReadonlyArray<LoadAnswer>,
  quota: number
) {
  const events = yield* slipEvents(engines)
  const ids = new Set(events.map(({ data }) => data["verificationId"]))
  for (const { status, verificationId } of answers) {
    if (status === 200) assert.isTrue(ids.has(verificationId ?? ""), "an answered verification is in the log")
  }
  const firsts = events.filter(({ type }) => type === "SlipVerified").map(({ stream }) => stream)
  assert.strictEqual(new Set(firsts).size, firsts.length, "each slip was verified first once")
  const charged = events.filter(({ data }) => data["charged"]).length
  assert.isAtMost(charged, quota)
  return { charged }
})

/** Fails on an error code other than those of an unavailable engine or a used-up quota. */
export const assertExpectedCodes = (answers: ReadonlyArray<LoadAnswer>) => {
  const codes = new Set(answers.filter(({ status }) => status !== 200 && status !== undefined).map(({ code }) => code))
  codes.delete("API_SERVER_ERROR")
  codes.delete("QUOTA_EXCEEDED")
  assert.deepStrictEqual([...codes], [])
}

/** Asserts that every read model equals a replay of the log, byte for byte. */
export const assertModelsEqual = Effect.fnUntraced(function* ({ env }: SharedEngines) {
  for (const { name } of projections) {
    // Exit code 2: an engine did not answer in time.
    const compared = run(["projections", "compare", name], env)
    const { code, stderr, stdout } = yield* eventually(compared, ({ code }) => code !== 2)
    assert.strictEqual(code, 0, `${name}: ${stdout}${stderr}`)
  }
})
