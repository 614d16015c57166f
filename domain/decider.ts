import type { Result } from "effect"

/**
 * The shape of every aggregate: what happened folds into a state, a command is judged against that state.
 *
 * `decide` is pure: the time, ids and randomness it needs come in with the command. A command that is already
 * done gives no events, so that repeating it is harmless. A rejection is a value and knows nothing of HTTP.
 */
export interface Decider<in Command, State, Event, out Rejection = never> {
  readonly initialState: State
  readonly evolve: (state: State, event: Event) => State
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event>, Rejection>
  /** True when no further event can follow. */
  readonly isTerminal: (state: State) => boolean
}

/** The state that a history leads to. */
export const fold = <Command, State, Event, Rejection>(
  decider: Decider<Command, State, Event, Rejection>,
  history: Iterable<Event>,
  from: State = decider.initialState
): State => {
  let state = from
  for (const event of history) state = decider.evolve(state, event)
  return state
}
