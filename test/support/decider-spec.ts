import { assert } from "@effect/vitest"
import { Result } from "effect"
import { type Decider, fold } from "../../domain/decider.ts"

interface Tagged {
  readonly _tag: string
}

interface When<in Command, in Event, in Rejection extends Tagged> {
  readonly when: (command: Command) => Then<Event, Rejection>
}

interface Then<in Event, in Rejection extends Tagged> {
  /** Exactly these events, in this order. */
  readonly then: (...events: ReadonlyArray<Event>) => void
  readonly thenNothing: () => void
  readonly thenRejected: (tag: Rejection["_tag"]) => void
}

/**
 * A decider's behaviour as one sentence, without an Effect runtime:
 * `given(account, registered).when(verify).then(verified)`.
 */
export const given = <Command, State, Event, Rejection extends Tagged>(
  decider: Decider<Command, State, Event, Rejection>,
  ...history: ReadonlyArray<Event>
): When<Command, Event, Rejection> => ({
  when: (command) => outcome<Event, Rejection>(decider.decide(command, fold(decider, history)))
})

const outcome = <Event, Rejection extends Tagged>(
  decided: Result.Result<ReadonlyArray<NoInfer<Event>>, Rejection>
): Then<Event, Rejection> => {
  const expectEvents = (...events: ReadonlyArray<Event>): void => {
    if (Result.isFailure(decided)) assert.fail(`expected ${events.length} events, but got ${decided.failure._tag}`)
    assert.deepStrictEqual(decided.success, events)
  }
  return {
    // The name belongs to given/when/then; no caller awaits it.
    // oxlint-disable-next-line unicorn/no-thenable
    then: expectEvents,
    thenNothing: () => expectEvents(),
    thenRejected: (tag) => {
      if (Result.isSuccess(decided)) assert.fail(`expected ${tag}, but decided ${JSON.stringify(decided.success)}`)
      assert.strictEqual(decided.failure._tag, tag)
    }
  }
}
