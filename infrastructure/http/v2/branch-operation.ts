import type { Operation } from "../../../application/provisioning/operator-command.ts"
import type { Caller } from "../../../application/provisioning/callers.ts"
import type { Exchange } from "../endpoint.ts"

/** What a branch does to itself, for the trail. */
export const operationOf = ({ branchId }: Caller, { requestId }: Exchange): Operation => ({
  actor: { kind: "branch", id: branchId },
  correlationId: requestId
})
