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
export const verifyForCaller = ({ caller, slip, ...request }: CallersRequest) => {
  const { actor, branch: { policy, quota }, branchId, serviceId } = caller
  return SlipVerifier.use(({ verify }) =>
    verify({ ...request, serviceId, branchId, quota, actor, ...slip, ...judgingConditions(policy, slip) })
  )
}
