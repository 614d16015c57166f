import { Result } from "effect"

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

export interface OnceState {
  readonly isRecorded: boolean
}

/** Of a stream that has one event, which the command brings: whoever brings another one finds it done. */
export const onlyOnce = <Command, Event>(
  eventOf: (command: Command) => Event
): Decider<Command, OnceState, Event> => ({
  initialState: { isRecorded: false },
  evolve: () => ({ isRecorded: true }),
  decide: (command, { isRecorded }) => Result.succeed(isRecorded ? [] : [eventOf(command)]),
  isTerminal: ({ isRecorded }) => isRecorded
})

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
