import { Result } from "effect"

/** An event as it is written, with every field. Old events lack the fields that were added later. */
export type Complete<Event> = Event extends unknown ? { readonly [Field in keyof Event]-?: Event[Field] } : never

/**
 * The shape of every aggregate: events fold into a state, and a command is decided against that state.
 *
 * `decide` is pure: the command carries the time, ids and randomness. A command whose effect is already in the state
 * gives no events, so repeating it is harmless. A rejection is a value without any HTTP detail.
 */
export interface Decider<in Command, State, Event, out Rejection = never> {
  readonly initialState: State
  readonly evolve: (state: State, event: Event) => State
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event & Complete<Event>>, Rejection>
  /** True when no further event can follow. */
  readonly isTerminal: (state: State) => boolean
}

interface Tagged {
  readonly _tag: string
}

/** For each type of event, a function that makes one from all of its fields. */
export type Events<Event extends Tagged> = {
  readonly [Tag in Event["_tag"]]: (
    fields: Omit<Complete<Extract<Event, { readonly _tag: Tag }>>, "_tag">
  ) => Complete<Extract<Event, { readonly _tag: Tag }>>
}

/**
 * The tag and the fields that are defined. Hot path: built field by field, because an object of `Object.fromEntries` is slow to
 * read. Guarded by `npm run bench -- http`.
 */
const tagged = (_tag: string, fields: object): object => {
  const event: Record<string, unknown> = { _tag }
  const given = fields as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) if (given[name] !== undefined) event[name] = given[name]
  return event
}

/**
 * The constructors of an aggregate's events. A missing or unknown field is a compile error. A field that is undefined
 * is left out: its schema is `Schema.optional`, and the event has the same bytes as before the field existed.
 */
export const eventsOf = <Event extends Tagged>(
  schema: { readonly Type: Event; readonly cases: Readonly<Record<Event["_tag"], unknown>> }
): Events<Event> =>
  Object.fromEntries(
    Object.keys(schema.cases).map((_tag) => [_tag, (fields: object) => tagged(_tag, fields)])
  ) as Events<Event>

export interface OnceState {
  readonly isRecorded: boolean
}

/** A stream with a single event, made from the first command. Later commands are no-ops. */
export const onlyOnce = <Command, Event>(
  eventOf: (command: Command) => Event & Complete<Event>
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
