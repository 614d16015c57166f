import { Schema } from "effect"
import type { Position } from "./events/recorded-event.ts"

/**
 * Encrypted personal data or an encrypted secret, as the log stores it. It names its key: the master key or a subject
 * key. Only the vault opens it. `n` and `c` are base64.
 */
export const Sealed = Schema.Struct({
  /** Name of the key. */
  k: Schema.String,
  /** Nonce. */
  n: Schema.String,
  /**
   * Ciphertext with its authentication tag. `1:` in front means that the value is bound to its record. Without it the value
   * is bound to its purpose only. Empty when the key was destroyed before.
   */
  c: Schema.String
})
export type Sealed = typeof Sealed.Type

export const isSealed = Schema.is(Sealed)

/** What precedes the ciphertext of a value that is bound to its record. No base64 text begins so. */
export const BOUND = "1:"

/** Whether a value opens in its own record only. A value without ciphertext opens nowhere. */
export const isBound = ({ c }: Sealed): boolean => c === "" || c.startsWith(BOUND)

/** Where a sealed value stands. */
export interface Place {
  /** The name of the record, as `recordOf` makes it (domain/events/sealed-record.ts). */
  readonly record: string
  /** The position of the event; undefined when the value was not read from an event. */
  readonly position: Position | undefined
}

const PLACE: unique symbol = Symbol("place")

interface Placed {
  [PLACE]?: Place
}

/**
 * Says where a value stands. JSON and copies of the value do not have it, so a value that was put into another event or a
 * row has no place there.
 */
export const placedAt = <Value extends Sealed>(sealed: Value, place: Place): Value =>
  Object.defineProperty(sealed, PLACE, { value: place, configurable: true })

/** Where a value stands; undefined for one that was read from elsewhere than an event. */
export const placeOf = (sealed: Sealed & Placed): Place | undefined => sealed[PLACE]
