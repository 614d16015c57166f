import { v1Failure, v1Success, v2Failure, v2Success } from "./envelope.ts"
import { rawSlip } from "./examples.ts"
import type { Operation, Success, Wire } from "./operation.ts"
import {
  callerCodes,
  isRemembered,
  v1CallerCodes,
  type V1Code,
  v1Failures,
  type V2Code,
  v2Failures
} from "./failures.ts"

/** How the answers of one version of the API look. */
export interface Version<Code extends string> {
  /** What every operation with a key can answer. */
  readonly callerCodes: ReadonlyArray<Code>
  /** Begins the names of what the versions have each for itself. */
  readonly prefix: "" | "V1"
  readonly statusOf: (code: Code) => number
  /** What a code means, in a few words. */
  readonly meaningOf: (code: Code) => string
  /** Whether the next request with the same `Idempotency-Key` gets the failure again. */
  readonly isRemembered: (code: Code) => boolean
  readonly isRetryable: (code: Code) => boolean
  readonly success: (data: Wire) => Wire
  readonly failure: (status: number, codes: ReadonlyArray<Code>) => Wire
  /** A success with this data. */
  readonly told: (success: Success, data: unknown) => unknown
  /** A failure with this code. */
  readonly refused: (code: Code, fault: Operation["fault"]) => unknown
}

export const v2Version: Version<V2Code> = {
  callerCodes,
  prefix: "",
  statusOf: (code) => v2Failures[code].status,
  meaningOf: (code) => v2Failures[code].message,
  isRemembered,
  isRetryable: (code) => "isRetryable" in v2Failures[code],
  success: v2Success,
  failure: (_, codes) => v2Failure(codes),
  told: ({ message }, data) => ({ success: true, data, message }),
  refused: (code, fault) => ({
    success: false,
    error: {
      code,
      message: v2Failures[code].message,
      ...(code === "VALIDATION_ERROR" && fault !== undefined ? { issues: [fault] } : {})
    }
  })
}

export const v1Version: Version<V1Code> = {
  callerCodes: v1CallerCodes,
  prefix: "V1",
  statusOf: (code) => v1Failures[code].status,
  meaningOf: (code) => v1Failures[code].meaning,
  isRemembered: () => false,
  isRetryable: (code) => "isRetryable" in v1Failures[code],
  success: v1Success,
  failure: v1Failure,
  told: (_, data) => ({ status: 200, data }),
  refused: (code) => ({
    status: v1Failures[code].status,
    message: code,
    ...(code === "duplicate_slip" ? { data: rawSlip } : {})
  })
}

/** Codes by their status, in their order. */
export const byStatus = <Code extends string>(
  codes: ReadonlyArray<Code>,
  { statusOf }: Version<Code>
): ReadonlyMap<number, ReadonlyArray<Code>> => {
  const groups = new Map<number, Array<Code>>()
  for (const code of codes) {
    const status = statusOf(code)
    groups.set(status, [...groups.get(status) ?? [], code])
  }
  return groups
}
