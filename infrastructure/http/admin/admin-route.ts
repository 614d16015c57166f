import { Effect, type Redacted } from "effect"
import type { HttpRouter } from "effect/http"
import type { Operation } from "../../../application/provisioning/operator-command.ts"
import type { BranchOfAnotherService } from "../../../application/bank-accounts/link-bank-account.ts"
import type { NothingToRedeliver } from "../../../application/callbacks/redeliver-callback.ts"
import type { EventStoreError, WrongExpectedRevision } from "../../../ports/event-store.ts"
import type { ReadModelsError } from "../../../ports/read-models.ts"
import type { JobNotFound } from "../../../application/jobs/job-view.ts"
import type { AccountNotFound } from "../../../domain/account.ts"
import type { BankAccountNotFound, BankAccountStale } from "../../../domain/bank-account/bank-account.ts"
import type { BranchNotFound } from "../../../domain/branch.ts"
import type { ServiceNotFound } from "../../../domain/service.ts"
import { ApiError } from "../api/api-error.ts"
import { endpoint, type Exchange } from "../endpoint.ts"
import type { Reply } from "../reply.ts"
import { toApiError } from "../v2/errors.ts"
import { authorize } from "./authorize.ts"
import { invalid, type InvalidInput } from "../../input/decode.ts"

export type Failure =
  | ApiError
  | InvalidInput
  | AccountNotFound
  | ServiceNotFound
  | BranchNotFound
  | BranchOfAnotherService
  | BankAccountNotFound
  | BankAccountStale
  | JobNotFound
  | NothingToRedeliver
  | EventStoreError
  | WrongExpectedRevision
  | ReadModelsError

/** What an administrator is told of what the application rejects. */
export const told = (error: Failure): ApiError => {
  switch (error._tag) {
    case "ApiError":
      return error
    case "AccountNotFound":
      return new ApiError({ code: "NOT_FOUND", message: "There is no such account" })
    case "ServiceNotFound":
      return new ApiError({ code: "NOT_FOUND", message: "There is no such service" })
    case "BranchNotFound":
      return new ApiError({ code: "NOT_FOUND", message: "There is no such branch" })
    case "BankAccountNotFound":
      return new ApiError({ code: "NOT_FOUND", message: "There is no such bank account" })
    case "BranchOfAnotherService":
      return toApiError(
        invalid({ path: "branchId", message: "The branch belongs to another service than the account" })
      )
    default:
      return toApiError(error)
  }
}

/** The id in the path, in the case in which ids stand in the log. */
export const idOf = ({ params }: Exchange): string => (params["id"] ?? "").toLowerCase()

/** The operation that a request of the admin API is, for the trail. */
export const operationOf = ({ requestId }: Exchange): Operation => ({
  actor: { kind: "admin", id: "api" },
  correlationId: requestId
})

/** Makes the routes of the admin API, all of which ask for the token first. */
export const adminRoutes = (token: Redacted.Redacted) => {
  const allow = authorize(token)
  return <R>(
    method: "GET" | "POST" | "PATCH",
    path: HttpRouter.PathInput,
    handle: (exchange: Exchange) => Effect.Effect<Reply, Failure, R>
  ) =>
    endpoint(
      method,
      `/admin/v1${path}`,
      (exchange) => Effect.mapError(Effect.andThen(allow(exchange), handle(exchange)), told)
    )
}

export type AdminRoute = ReturnType<typeof adminRoutes>
