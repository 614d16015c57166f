import { Schema } from "effect"

/** Who causes an event: a branch with its id, an operator with the interface that is used, or the system. */
export const Actor = Schema.Struct({ kind: Schema.Literals(["branch", "admin", "system"]), id: Schema.String })
export type Actor = typeof Actor.Type
