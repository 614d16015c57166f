import { Effect } from "effect"
import type { OperatorRole } from "../../domain/operators.ts"
import type { Client } from "./client.ts"

/** Adds an operator, and returns its token. */
export const newOperator = Effect.fnUntraced(function* ({ admin }: Client, name: string, role: OperatorRole) {
  const { data, status, text } = yield* admin<{ readonly token: string }>("POST", "/operators", { name, role })
  return status === 201 ? data.token : yield* Effect.die(`no operator: ${text}`)
})
