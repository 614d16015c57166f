/**
 * What the store and its writing thread say to each other. Tuples of texts and numbers, data already as JSON text:
 * a message is cloned on its way, and this is what clones cheaply.
 */

/** Four texts an event, one event after the other: id, type, data and metadata as JSON. */
export type FlatEvents = ReadonlyArray<string>

/** `expected` is the revision of the stream's last event, -1 when the stream must not exist yet. */
export type AppendMessage = readonly [key: number, stream: string, expected: number, events: FlatEvents]

/**
 * - `appended`: revision and position of the last event
 * - `repeated`: the same; an earlier append with the same ids put them there
 * - `wrong-revision`: revision of the stream's last event, -1 when there is no stream
 * - `id-reused`: the numbers say nothing
 */
export type AppendOutcome = readonly [
  key: number,
  kind: "appended" | "repeated" | "wrong-revision" | "id-reused",
  revision: number,
  position: number
]

export type ToWriter =
  | { readonly _tag: "Append"; readonly appends: ReadonlyArray<AppendMessage> }
  /** Commit what is queued, tidy the file up and say `Closed`. */
  | { readonly _tag: "Close" }

export type FromWriter =
  /** `head` is the position of the last event in the file, 0 when there is none. */
  | { readonly _tag: "Ready"; readonly head: number }
  | { readonly _tag: "OpenFailed"; readonly message: string }
  /** Committed: every outcome is final, and everything up to `head` is durable. `at` is in milliseconds since 1970. */
  | {
    readonly _tag: "Committed"
    readonly outcomes: ReadonlyArray<AppendOutcome>
    readonly head: number
    readonly at: number
  }
  /** Rolled back: of these appends nothing is in the file. */
  | { readonly _tag: "Failed"; readonly keys: ReadonlyArray<number>; readonly message: string }
  | { readonly _tag: "Closed" }
