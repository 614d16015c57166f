import { Effect, Layer } from "effect"
import { makeEndedSessions } from "../../../../application/operators/console-sessions.ts"
import type { VaultError } from "../../../../ports/vault.ts"
import { apiError } from "../../api/failures.ts"
import { type HandledName, handlers, type HandlerServices } from "../../operators/handlers.ts"
import type { Operations } from "../../operators/operations.ts"
import { OperatorAccess } from "../../operators/operator-access.ts"
import type { AdminAuth } from "../auth/admin-auth.ts"
import { type AdminFailureWith, UNAVAILABLE_RETRY_SECONDS } from "../operations/application-failures.ts"
import type { AdminRequestOf } from "../operations/operation-endpoint.ts"
import { trailQueryOf } from "../../input/operator-queries.ts"
import { type AnswerOf, withMessage } from "../operations/operation-reply.ts"
import type { AdminRoute } from "./admin-route.ts"

const keysNotDestroyed = (error: VaultError) =>
  Effect.andThen(
    Effect.logError("the subject keys of a slip could not be destroyed", error),
    Effect.fail(
      apiError("API_SERVER_ERROR", {
        message: error.reason === "unknown-key"
          ? "This process has no subject keys: set SUBJECT_KEYS_FILE"
          : "The subject keys could not be destroyed. Send the request again",
        retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS
      })
    )
  )

type Declared = {
  readonly [Name in HandledName]: (
    request: AdminRequestOf<Operations[Name]>
  ) => Effect.Effect<
    AnswerOf<Operations[Name]>,
    AdminFailureWith<Operations[Name]["codes"][number]>,
    HandlerServices
  >
}

/** The handlers. One that fails with what its operation does not declare does not compile. */
const declared: Declared = {
  ...handlers,
  eraseSlip: (request) =>
    Effect.catchTags(handlers.eraseSlip(request), {
      NothingToErase: ({ subject }) =>
        Effect.fail(apiError("NOT_FOUND", { message: `There is no such ${subject === "Slip" ? "slip" : "job"}` })),
      VaultError: keysNotDestroyed
    }),
  getTrail: Effect.fnUntraced(function* (request) {
    if ((yield* trailQueryOf(request.query)).isRevealed) yield* request.requireAct("revealPersonalData")
    const data = yield* Effect.catchTag(
      handlers.getTrail(request),
      "TrailEmpty",
      () => Effect.fail(apiError("NOT_FOUND", { message: "There are no events about it, or none up to that time" }))
    )
    return data.truncated ? withMessage("Trail, incomplete: the next page has more events", data) : data
  })
}

const names = Object.keys(declared) as ReadonlyArray<HandledName>

/** The routes of all operations that have a handler. */
export const handledRoutes = (route: AdminRoute, { hasOtherAdmin, operators }: AdminAuth) => {
  const routeOf = <Name extends HandledName>(name: Name) => route<Name, HandlerServices>(name, declared[name])
  const access = Layer.effect(
    OperatorAccess,
    Effect.map(makeEndedSessions, (endedSessions) => ({ operators, endedSessions, hasOtherAdmin }))
  )
  return names.map(routeOf).reduce((all, one) => Layer.merge(all, one)).pipe(Layer.provide(access))
}
