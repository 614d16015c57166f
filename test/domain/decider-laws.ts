import { assert, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { type Decider, fold } from "../../domain/decider.ts"
import { runs } from "../support/runs.ts"

/**
 * What every aggregate keeps to, whatever it decides. `commands` draws from few names and ids, so that random
 * commands meet each other.
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
  const sequences = Arbitrary.array(commands, { maxLength: 30 })
  // How long sequences get follows the size of a run, whatever they may be at most.
  const long = { arbitrary: { runs: runs(100), size: 30 } }

  const settled = (history: ReadonlyArray<Command>): State => {
    let state = decider.initialState
    for (const command of history) state = fold(decider, accepted(decider.decide(command, state)), state)
    return state
  }

  const writable = Arbitrary.filter(Arbitrary.schema(events), hasNoNegativeZero)
  it.prop("every event survives a round trip through JSON", [writable], ([event]) => {
    assert.deepStrictEqual(throughJson(event), event)
  })

  it.prop("a command that is repeated at once changes nothing", [sequences, commands], ([history, command]) => {
    const before = settled(history)
    const first = decider.decide(command, before)
    const second = decider.decide(command, fold(decider, accepted(first), before))
    assert.deepStrictEqual(second, Result.isSuccess(first) ? Result.succeed([]) : first)
  }, long)

  it.prop("commands in any order give valid events that fold to one state", [sequences], ([history]) => {
    const log: Array<Event> = []
    let state = Object.freeze(decider.initialState)
    for (const command of history) {
      const decided = accepted(decider.decide(command, state))
      if (decider.isTerminal(state)) assert.deepStrictEqual(decided, [], "an event after the last one")
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

/** JSON has one zero; nothing in the domain tells it from the other. */
const hasNoNegativeZero = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.values(value).every(hasNoNegativeZero) : !Object.is(value, -0)

const accepted = <Event, Rejection>(decided: Result.Result<ReadonlyArray<Event>, Rejection>): ReadonlyArray<Event> =>
  Result.getOrElse(decided, () => [])
