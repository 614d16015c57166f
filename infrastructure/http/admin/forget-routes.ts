import { Effect } from "effect"
import { eraseSlip } from "../../../application/erasure/erase-slip.ts"
import { readBody } from "../body.ts"
import { type AdminRoute, operationOf } from "./admin-route.ts"
import { decodeErasure } from "../../input/operator-queries.ts"
import { ApiError } from "../api/failures.ts"
import { RETRY_SOON } from "../application-failures.ts"

/** Forgetting the personal data of a slip, beside a running service. */
export const forgetRoutes = (route: AdminRoute) =>
  route(
    "POST",
    "/forget",
    Effect.fnUntraced(function* (exchange) {
      const { reason, sendingBank, transRef } = yield* decodeErasure((yield* readBody(exchange)).fields)
      const data = yield* eraseSlip(sendingBank, transRef, reason, operationOf(exchange)).pipe(
        Effect.catchTags({
          SlipUnknown: () => Effect.fail(new ApiError({ code: "NOT_FOUND", message: "There is no such slip" })),
          VaultError: (error) =>
            Effect.andThen(
              Effect.logError("the keys of a slip that is to be forgotten could not be destroyed", error),
              Effect.fail(
                new ApiError({
                  code: "API_SERVER_ERROR",
                  message: error.reason === "unknown-key"
                    ? "There are no keys of slips: set SUBJECT_KEYS_FILE"
                    : "The keys could not be destroyed: ask again",
                  retryAfterSeconds: RETRY_SOON
                })
              )
            )
        })
      )
      return { message: "The personal data of the slip is forgotten", data }
    })
  )
