import { Effect } from "effect"
import { operatorActs, streamOf } from "../../domain/events/aggregates.ts"
import type { OperatorAct } from "../../domain/operator-act.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"

/** Records what an operator does, for the audit. Answer nothing before it succeeds. */
export const recordAct = Effect.fn("recordAct")(function* (act: OperatorAct, ids: RequestIds) {
  const actId = (yield* Identifiers).newId()
  const record = (at: string) => ({ _tag: "RecordAct", act, actId, at }) as const
  yield* handleOperatorCommand(operatorActs, streamOf.operatorAct(actId), record, ids)
})
