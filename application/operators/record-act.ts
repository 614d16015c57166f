import { Effect } from "effect"
import { operatorActs, streamOf } from "../../domain/events/aggregates.ts"
import type { OperatorAct } from "../../domain/operator-act.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { handleCommand } from "../events/handle-command.ts"
import { contextOf } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"

/** Records what an operator does, for the audit. Answer nothing before it succeeds. */
export const recordAct = Effect.fn("recordAct")(function* (act: OperatorAct, ids: RequestIds) {
  const actId = (yield* Identifiers).newId()
  const context = yield* contextOf(ids)
  const command = { _tag: "RecordAct", act, actId, at: isoTime(context.at) } as const
  yield* handleCommand(operatorActs, streamOf.operatorAct(actId), command, context)
})
