import type { ApiError, V2Code } from "../../infrastructure/http/api/failures.ts"

type Issue = NonNullable<ApiError["issues"]>[number]

/**
 * The service's own code, or what kept its answer away: `NETWORK_ERROR`, `TIMEOUT`, or `UNEXPECTED_ANSWER` for an
 * answer that is none of the service's, such as a proxy's page.
 */
export type SlipTrailCode = V2Code | "NETWORK_ERROR" | "TIMEOUT" | "UNEXPECTED_ANSWER"

/** Why a call came to nothing. */
export interface Failure {
  /** 0 when there was no answer. */
  readonly status: number
  readonly code: SlipTrailCode
  readonly message: string
  /** What is wrong with which field; of VALIDATION_ERROR, and of whatever a batch is refused with. */
  readonly issues?: ReadonlyArray<Issue>
  /** To quote in questions. */
  readonly requestId?: string
  /** When trying again may help. */
  readonly retryAfterSeconds?: number
}

/** A call that came to nothing, after all its tries. `cause` is what the network said. */
export class SlipTrailError extends Error {
  override readonly name = "SlipTrailError"
  readonly status: number
  readonly code: SlipTrailCode
  readonly issues: ReadonlyArray<Issue>
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor({ code, issues = [], message, requestId, retryAfterSeconds, status }: Failure, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
    this.issues = issues
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}
