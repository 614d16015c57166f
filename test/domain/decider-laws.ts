import { assert, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { type Decider, fold } from "../../domain/decider.ts"
import { runs } from "../support/runs.ts"

/** Deciders leave out a field that is undefined. */
const hasNoUndefinedField = (event: unknown): boolean =>
  typeof event !== "object" || event === null || !Object.values(event).includes(undefined)

/**
 * The laws that every aggregate obeys. `commands` must draw from few names and ids, so that random commands concern
 * the same things.
 */
export const itObeysTheLaws = <Command, State, Event, Rejection>(
  decider: Decider<Command, State, Event, Rejection>,
  events: Schema.Codec<Event, unknown>,
  commands: Arbitrary.Arbitrary<Command>
): void => {
  const decode = Schema.decodeUnknownSync(events)
  const encode = Schema.encodeSync(events)
  const isEvent = Schema.is(events)
  const throughJson = (event: Event): Event => decode(JSON.parse(JSON.stringify(encode(event))))
  const sequences = Arbitrary.array(Arbitrary.filter(commands, hasNoNegativeZero), { maxLength: 30 })
  // The length of sequences grows with the size of a run, up to their maximum.
  const long = { arbitrary: { runs: runs(100), size: 30 } }

  const stateAfter = (history: ReadonlyArray<Command>): State => {
    let state = decider.initialState
    for (const command of history) state = fold(decider, accepted(decider.decide(command, state)), state)
    return state
  }

  const encodable = Arbitrary.filter(
    Arbitrary.schema(events),
    (event) => hasNoNegativeZero(event) && hasNoUndefinedField(event)
  )
  it.prop("every event survives a round trip through JSON", [encodable], ([event]) => {
    assert.deepStrictEqual(throughJson(event), event)
  })

  it.prop("a command that is repeated at once changes nothing", [sequences, commands], ([history, command]) => {
    const before = stateAfter(history)
    const first = decider.decide(command, before)
    const second = decider.decide(command, fold(decider, accepted(first), before))
    assert.deepStrictEqual(second, Result.isSuccess(first) ? Result.succeed([]) : first)
  }, long)

  it.prop("commands in any order give valid events that fold to one state", [sequences], ([history]) => {
    const log: Array<Event> = []
    let state = Object.freeze(decider.initialState)
    for (const command of history) {
      const decided = accepted(decider.decide(command, state))
      if (decider.isTerminal(state)) assert.deepStrictEqual(decided, [], "an event after a terminal state")
      for (const event of decided) {
        assert.isTrue(isEvent(event), JSON.stringify(event))
        state = Object.freeze(decider.evolve(state, Object.freeze(event)))
        log.push(event)
      }
    }
    assert.deepStrictEqual(fold(decider, log), state)
    assert.deepStrictEqual(fold(decider, log.map(throughJson)), state)
  }, long)
}

/** JSON has no negative zero, and the domain does not distinguish it from zero. */
const hasNoNegativeZero = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.values(value).every(hasNoNegativeZero) : !Object.is(value, -0)

const accepted = <Event, Rejection>(decided: Result.Result<ReadonlyArray<Event>, Rejection>): ReadonlyArray<Event> =>
  Result.getOrElse(decided, () => [])
