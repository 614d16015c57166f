import { Schema } from "effect"

/** Who causes an event: a branch with its id, an operator with the interface that is used, or the system. */
export const Actor = Schema.Struct({
  kind: Schema.Literals(["branch", "admin", "system"]),
  id: Schema.String,
  /** The name of the operator; absent in events from before operators had names. */
  operator: Schema.optionalKey(Schema.String),
  /** The id of the API key that a branch used; absent for its default key. */
  key: Schema.optionalKey(Schema.String)
})
export type Actor = typeof Actor.Type

/** The actor of a request that a branch makes. `key` is the id of its API key; undefined for the default key. */
export const branchActor = (id: string, key?: string): Actor =>
  key === undefined ? { kind: "branch", id } : { kind: "branch", id, key }
