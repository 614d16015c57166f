import type { RequestIds } from "../events/handle-command.ts"
import type { Caller } from "../provisioning/callers.ts"
import { judgingConditions, type RequestedConditions } from "./conditions.ts"
import type { SlipKind } from "./slip-source.ts"
import { SlipVerifier, type VerificationRequest } from "./verify-slip.ts"

/** A slip to verify at once. */
interface SlipToVerify extends Pick<VerificationRequest, "accounts" | "expectedAmount" | "remark" | "source"> {
  readonly conditions?: RequestedConditions | undefined
}

interface CallersRequest extends Omit<RequestIds, "actor"> {
  readonly caller: Caller
  readonly verificationId: string
  readonly kind: SlipKind
  readonly slip: SlipToVerify
}

/**
 * Verifies a slip for the branch of the caller, which pays from its quota. The conditions of the request and the policy
 * of the branch judge it.
 */
export const verifyForCaller = (request: CallersRequest) => {
  const { caller: { actor, branch, branchId, serviceId }, clientRequestId, correlationId, kind, slip } = request
  const { accounts, judging } = judgingConditions(branch.policy, slip)
  return SlipVerifier.use(({ verify }) =>
    verify({
      verificationId: request.verificationId,
      correlationId,
      clientRequestId,
      actor,
      serviceId,
      branchId,
      quota: branch.quota,
      kind,
      source: slip.source,
      remark: slip.remark,
      expectedAmount: slip.expectedAmount,
      accounts,
      judging
    })
  )
}
