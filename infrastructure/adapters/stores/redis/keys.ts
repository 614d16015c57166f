import { placeOf } from "../../../../projections/engine/model-name.ts"

/**
 * The prefix of all keys of a model. Only the part in braces selects the slot of a Redis Cluster, so a model, its shadow
 * model, its reservations and its lease are on one node, and one script can read them all.
 *
 * After the prefix:
 * - `:meta`, a hash: `gen` current generation, `at` checkpoint, and while the model is dumped `holder` and `hold`, the
 *   time in milliseconds until which it is held. `:meta~beside` is the same hash of the shadow model.
 * - `:generations`, the number of the newest generation; `:garbage`, a list of the generations to delete.
 * - `:<gen>:t:<table>`, a hash: key of a row → text of the row; `:<gen>:s:<set>`, a sorted set.
 * - `:<gen>:names`, a set: `t:<table>` and `s:<set>` of all tables and sets that were written in the generation.
 * - `:open:<set>`, a sorted set, and `:reserved`, the set of their names: reservations of quota; `:epoch`, a hash.
 *
 * Marks of streams are keys of the prefix of `marks`: `:stream:<name>`.
 *
 * Scripts build the keys of a generation from its number. A Cluster needs named keys only to find the node, which the
 * prefix decides.
 */
export const keyPrefixOf = (model: string): string => `sliptrail:{${encodeURIComponent(placeOf(model))}}`

/** The key that holds the current generation of a model or shadow model. */
export const metaKeyOf = (model: string): string =>
  `${keyPrefixOf(model)}:meta${placeOf(model) === model ? "" : "~beside"}`

/** The key of the quota's epoch (`makeQuotaEpoch`), if the model counts reservations. */
export const epochKeyOf = (model: string): string => `${keyPrefixOf(model)}:epoch`
