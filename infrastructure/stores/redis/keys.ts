import { placeOf } from "../../../projections/engine/model-name.ts"

/**
 * How all keys of a model begin. What is in braces alone decides on the slot of a Redis Cluster: a model, what is built
 * beside it and what belongs to it (reservations, its lease) are always on one node, so that one script can see it all.
 *
 * Behind the prefix:
 * - `:meta`, a hash: `gen` generation in force, `at` checkpoint, `top` furthest checkpoint there ever was, and while
 *   the model is dumped `holder` and `hold`, the time in milliseconds until which it holds. `:meta~beside` likewise.
 * - `:generations`, the last number that was given to a generation; `:garbage`, a list of those to be deleted.
 * - `:<gen>:t:<table>`, a hash: key of a row → text of the row; `:<gen>:s:<set>`, a sorted set.
 * - `:<gen>:names`, a set: `t:<table>` and `s:<set>` of all that was ever written in the generation.
 * - `:open:<set>`, a sorted set, and `:reserved`, the set of their names: reservations of quota.
 *
 * Scripts make the keys of a generation from its number. Redis would have all keys named in front; a Cluster needs that
 * only to find the node, which the prefix settles.
 */
export const keyPrefixOf = (model: string): string => `sliptrail:{${encodeURIComponent(placeOf(model))}}`

/** The key that says which generation of a model, or of what stands beside one, is in force. */
export const metaKeyOf = (model: string): string =>
  `${keyPrefixOf(model)}:meta${placeOf(model) === model ? "" : "~beside"}`
